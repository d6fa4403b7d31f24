"""Compression of the femoral vein, with a clot further down."""

from annotation.phantom.colour_flow import ColourBox
from annotation.phantom.film import Scene
from annotation.phantom.geometry import LINEAR
from annotation.phantom.script import Change, Free, Mcq, Script, Step
from annotation.phantom.tissue import Ellipsoid, Look, Shape, Sheet, Tube

BODY: tuple[Shape, ...] = (
    Sheet(Look(wall=-9, wall_width=0.04), depth=0.16, wave=0.01),
    Ellipsoid(Look(echo=-27, edge=0.1), at=(0, 0, 0.5), radii=(9, 30, 0.34)),
    Sheet(Look(wall=-10, wall_width=0.03), depth=0.52, wave=0.05, pitch=2.0),
    Sheet(Look(wall=-12, wall_width=0.03), depth=0.86, wave=0.05, pitch=1.6),
    Ellipsoid(
        Look(echo=-29, edge=0.12, wall=-12, wall_width=0.04),
        at=(-1.9, 0, 1.9), radii=(1.0, 30, 0.85),
    ),
    Ellipsoid(
        Look(echo=-28, edge=0.12, wall=-12, wall_width=0.04), at=(1.9, 0, 3.4), radii=(2.0, 30, 1.0)
    ),
    Tube(
        Look(echo=-64, wall=-11, wall_width=0.035, edge=0.03, loss=-1.0, flow=-13, surge=0.2),
        at=(0.42, 0, 1.95), rx=0.56, rz=0.5, squeeze=0.95,
    ),
    Ellipsoid(
        Look(echo=-27, edge=0.08, wall=-15, wall_width=0.03),
        at=(0.46, 4.6, 1.98), radii=(0.5, 1.9, 0.43), squeeze=0.12,
    ),
    Tube(
        Look(echo=-64, wall=-6, wall_width=0.04, edge=0.03, loss=-1.0, flow=34),
        at=(-0.62, 0, 1.75), rx=0.42, rz=0.42, pulse=0.09,
    ),
)  # fmt: skip

STEPS = (
    Step(
        0.0, 5.5,
        "Place the linear probe across the groin.",
        "Two black circles lie side by side: the beating artery and the wider vein.",
        "Groin, transverse",
    ),
    Step(
        6.0, 10.5,
        "Reduce the depth from 6 to 4 cm.",
        "Both vessels stand in the middle of the picture.",
        "Set the depth",
        tuple(Change("depth", 5.5 - 0.5 * n, 0.6 + 0.8 * n) for n in range(4)),
    ),
    Step(
        11.0, 17.0,
        "Press the probe straight down until the walls of the vein touch.",
        "The vein closes completely while the artery stays round: no clot at this level.",
        "Compression",
        (Change("press", 1, 0.8, 2.8),),
    ),
    Step(
        17.5, 21.0,
        "Release the pressure.",
        "The vein opens again and fills.",
        "Release",
        (Change("press", 0, 0.4, 1.8),),
    ),
    Step(
        21.5, 26.5,
        "Slide the probe toward the knee.",
        "Gray material appears in the lumen of the vein.",
        "Toward the knee",
        (Change("slide", 4.4, 0.4, 3.8),),
    ),
    Step(
        27.0, 32.5,
        "Press again at the new level.",
        "The vein does not close; gray material keeps its walls apart.",
        "Compression again",
        (Change("press", 1, 0.6, 2.4), Change("press", 0, 4.2, 1.2)),
    ),
    Step(
        33.0, 38.0,
        "Switch colour Doppler on.",
        "The artery fills with colour; the vein shows only a thin rim around the clot.",
        "Colour Doppler",
        (Change("doppler", 1, 0.7),),
    ),
    Step(
        38.5, 45.0,
        "Switch the colour off, move over the vein, and turn the probe into its long axis.",
        "The clot is seen along the vein with its free upper end.",
        "Long axis of the vein",
        (
            Change("doppler", 0, 0.3),
            Change("shift", 0.46, 0.6, 1.2),
            Change("rotate", 90, 1.6, 3.4),
            Change("slide", 3.2, 3.4, 2.0),
        ),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        1, 2, 2,
        "What is shown by the manoeuvre in this clip?",
        (
            "The artery is pulsating and so can be told from the vein",
            "The vein widens and so its valves are able to close",
            "The artery is flattened and so its wall must be soft",
            "The vein closes fully and so holds no clot at this level",
        ),
        3,
        "Under pressure the vein collapses, the artery does not.",
    ),
    Mcq(
        3, 3, 5,
        "Which plan does the operator follow after the first level was normal?",
        (
            "To stay at the level and repeat the test with colour switched on",
            "To go down the leg and repeat the compression at another level",
            "To turn the probe and follow the artery along its long axis",
            "To change to the other leg and compare both at the same level",
        ),
        1,
        "The probe slides toward the knee and compression is repeated.",
    ),
    Mcq(
        2, 1, 1,
        "What is optimised before the manoeuvre begins?",
        (
            "The depth, so that both vessels lie in the middle of the picture",
            "The gain, so that the lumen of both vessels is free of noise",
            "The scale, so that slow flow fills both vessels with colour",
            "The angle, so that the walls of both vessels reflect the beam evenly",
        ),
        0,
        "The depth is reduced from 6 to 4 cm.",
    ),
    Mcq(
        2, 6, 6,
        "What does the added mode make clear about the gray area?",
        (
            "It moves with each heart beat and is part of the artery",
            "It was noise and disappears as soon as the mode is on",
            "It takes no colour and leaves only a rim of flow",
            "It is a valve that opens and closes in the stream",
        ),
        2,
        "Colour fills the artery; in the vein only a rim remains.",
    ),
)  # fmt: skip

FREE = (
    Free(
        1, 5, 5,
        "How does the vein behave under pressure at this level, and what does that mean?",
        "It does not close; gray material keeps the walls apart although the artery and the layers"
        " above are pressed. That speaks for a clot.",
        "The vein is not compressible because of a clot.",
    ),
    Free(
        2, 0, 1,
        "Compare the picture before and after the adjustment. What was changed, and what for?",
        "The depth was reduced, so that artery and vein are shown larger and in the middle of the"
        " picture before compression.",
        "Depth reduced from 6 to 4 cm to enlarge the vessels.",
    ),
    Free(
        3, 7, 7,
        "Which view is set up at the end, and what can be judged in it?",
        "The probe is moved over the vein and turned into its long axis, where the extent of the"
        " clot and its free upper end can be judged.",
        "Long axis of the vein shows extent and upper end of the clot.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Femoral_Vein_Compression",
        title="Femoral vein",
        subtitle="Compression at two levels",
        duration=45.0,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"depth": 6.0, "scale": 30.0},
    ),
    preset="Venous",
    transducer=LINEAR,
    body=BODY,
    seed=45,
    tone=0.95,
    box=ColourBox(-0.75, 0.8, 0.9, 3.0),
)
