"""Right kidney with a simple cyst behind a rib."""

from annotation.phantom.colour_flow import ColourBox
from annotation.phantom.film import Scene
from annotation.phantom.geometry import CONVEX
from annotation.phantom.lettering import Caliper
from annotation.phantom.scenes.abdomen import LAYERS
from annotation.phantom.script import Change, Free, Mcq, Script, Step
from annotation.phantom.tissue import Ellipsoid, Look, Shape

DOWN = {"inspire": (0.0, 3.0, 0.25)}

BODY: tuple[Shape, ...] = (
    *LAYERS,
    Ellipsoid(
        Look(echo=-22, edge=0.4, wall=-13), moves=DOWN, at=(0, -4.5, 3.6), radii=(7, 7.5, 2.7)
    ),
    Ellipsoid(
        Look(echo=-28, edge=0.12, wall=-8, wall_width=0.1, loss=-0.1),
        moves=DOWN, at=(0, -1.6, 7.0), radii=(2.7, 5.0, 2.45),
    ),
    Ellipsoid(
        Look(echo=-35, edge=0.3), moves=DOWN, at=(0, -1.6, 5.6), radii=(1.9, 0.42, 0.5), every=0.0
    ),
    Ellipsoid(Look(echo=-35, edge=0.3), moves=DOWN, at=(0, 0.6, 5.7), radii=(1.9, 0.42, 0.5)),
    Ellipsoid(Look(echo=-35, edge=0.3), moves=DOWN, at=(0, -0.4, 8.4), radii=(1.9, 0.42, 0.5)),
    Ellipsoid(Look(echo=-35, edge=0.3), moves=DOWN, at=(0, -2.8, 8.4), radii=(1.9, 0.42, 0.5)),
    Ellipsoid(
        Look(echo=-11, edge=0.45),
        moves=DOWN, at=(0, -1.4, 7.0), radii=(2.2, 2.9, 0.95), ripple=0.16,
    ),
    *(
        Ellipsoid(
            Look(echo=-50, edge=0.06, flow=flow, surge=0.5),
            moves=DOWN, at=(1.2, y, z), radii=(1.6, 0.75, 0.11), lean=lean,
        )
        for y, z, lean, flow in (
            (-2.4, 6.9, 0.5, 40), (-0.3, 6.6, -0.45, 36), (-1.2, 7.3, 0.1, -34),
        )
    ),
    Ellipsoid(
        Look(echo=-68, wall=-7, wall_width=0.08, loss=-2.2),
        moves=DOWN, at=(1.5, -4.3, 5.9), radii=(1.45, 1.5, 1.4),
    ),
    Ellipsoid(
        Look(echo=-8, wall=1, wall_width=0.1, loss=42), at=(0, -3.0, 1.75), radii=(9, 0.62, 0.3)
    ),
)  # fmt: skip

STEPS = (
    Step(
        0.0, 6.0,
        "Place the probe in the right flank in the long axis of the kidney.",
        "A rib throws a black shadow across the upper part of the kidney.",
        "Right flank, long axis",
    ),
    Step(
        6.5, 14.0,
        "Ask the patient to breathe in deeply and to hold the breath.",
        "The kidney slides down from behind the rib and its upper pole leaves the shadow.",
        "Deep breath, hold",
        (Change("inspire", 1, 1.0, 4.8),),
    ),
    Step(
        14.5, 20.0,
        "Turn the overall gain up.",
        "Cortex, pyramids and the bright sinus can be told apart.",
        "Overall gain",
        (Change("gain", 0, 0.7, 3.4),),
    ),
    Step(
        20.5, 27.0,
        "Fan toward the back of the patient.",
        "A round black cyst with a thin wall and bright tissue behind it comes into view.",
        "Fan through the kidney",
        (Change("tilt", -14, 0.7, 4.4),),
    ),
    Step(
        27.5, 33.5,
        "Switch colour Doppler on with the box over the cyst and the sinus.",
        "Vessels of the kidney show colour; the cyst shows none.",
        "Colour Doppler",
        (Change("doppler", 1, 0.8),),
    ),
    Step(
        34.0, 38.5,
        "Switch the colour off and reduce the depth from 14 to 11 cm.",
        "The cyst is shown larger for the measurement.",
        "Set the depth",
        (
            Change("doppler", 0, 0.3),
            *(Change("depth", 13 - n, 1.0 + 0.9 * n) for n in range(3)),
        ),
    ),
    Step(
        39.0, 41.5,
        "Freeze the picture.",
        "The largest section of the cyst stands still.",
        "Freeze",
        (Change("freeze", 1, 0.6),),
    ),
    Step(
        42.0, 46.5,
        "Measure the cyst in two directions at right angles to each other.",
        "Two diameters describe the size of the cyst for the next examination.",
        "Two diameters",
        (Change("calipers", 1, 0.8), Change("calipers", 2, 2.4)),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        2, 0, 1,
        "A black stripe covers part of the organ at first. How is it dealt with?",
        (
            "A deep breath brings the organ down from behind the rib",
            "The probe is pressed in to push the rib out of the beam",
            "The gain is turned up until the stripe fills with echoes",
            "The probe is turned so that the stripe becomes narrower",
        ),
        0,
        "Deep inspiration moves the kidney away from the shadow of the rib.",
    ),
    Mcq(
        1, 3, 3,
        "What does the operator do here, and what does it show?",
        (
            "Slides toward the feet and shows the lower end of the kidney",
            "Turns the probe and shows the kidney in its cross-section",
            "Fans through the kidney and shows a cyst at its upper pole",
            "Presses the probe and shows that the cyst can be flattened",
        ),
        2,
        "Fanning brings a cyst at the upper pole into the plane.",
    ),
    Mcq(
        1, 4, 4,
        "For what reason is colour used at this point?",
        (
            "To measure how fast the blood flows in the vessels of the sinus",
            "To see that the black structure holds no vessels of its own",
            "To find the artery that leads to the lower pole of the organ",
            "To tell whether the urine runs off toward the bladder",
        ),
        1,
        "Colour shows flow in the kidney and none in the cyst.",
    ),
    Mcq(
        3, 5, 7,
        "How is the finding made ready for comparison with a later examination?",
        (
            "It is shown with colour in both planes and stored as a moving clip",
            "It is shown with and without a deep breath and stored side by side",
            "It is shown before and after pressure and compared",
            "It is shown larger, frozen, and measured in two directions",
        ),
        3,
        "Depth reduced, frozen, two perpendicular diameters.",
    ),
)  # fmt: skip

FREE = (
    Free(
        2, 2, 2,
        "Which control is changed in this clip, and what can be told apart afterwards?",
        "The overall gain is turned up; cortex, pyramids and the bright sinus of the kidney can"
        " then be told apart.",
        "Gain is raised so that the structure of the kidney shows.",
    ),
    Free(
        1, 1, 1,
        "Where does the organ move during this clip, and what is gained by it?",
        "The kidney moves down, away from behind the rib, as the patient breathes in; its upper"
        " pole is no longer covered by the shadow.",
        "Deep inspiration brings the upper pole out of the rib shadow.",
    ),
    Free(
        3, 4, 5,
        "What has been checked before the colour is switched off, and what does the operator"
        " prepare then?",
        "Colour Doppler has shown that the cyst has no flow inside; the depth is then reduced so"
        " that the cyst is large enough to be frozen and measured.",
        "No flow in the cyst; depth reduced before measurement.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Right_Kidney_with_a_Cyst",
        title="Right kidney",
        subtitle="A rib in the way, and a cyst at the upper pole",
        duration=46.5,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"depth": 14.0, "rotate": 90.0, "gain": -13.0, "scale": 18.0},
    ),
    preset="Renal",
    transducer=CONVEX,
    body=BODY,
    seed=34,
    mirrored=True,
    tone=0.55,
    box=ColourBox(-0.75, 0.45, 4.2, 9.4),
    calipers=(Caliper("D1", -1.3, 4.75, -1.3, 7.55), Caliper("D2", -2.75, 6.15, 0.15, 6.15)),
)
