"""Gallbladder with a stone that moves when the patient turns."""

from annotation.phantom.film import Scene
from annotation.phantom.geometry import CONVEX
from annotation.phantom.lettering import Caliper
from annotation.phantom.scenes.abdomen import LAYERS
from annotation.phantom.script import Change, Free, Mcq, Script, Step
from annotation.phantom.tissue import Ellipsoid, Look, Shape, Tube

BODY: tuple[Shape, ...] = (
    *LAYERS,
    Ellipsoid(Look(echo=-21, edge=0.5, wall=-14), at=(-1, 0, 5.4), radii=(7.5, 9, 4.2)),
    Tube(
        Look(echo=-60, wall=-9, loss=-0.3),
        at=(-3.4, 0, 5.6), lean=(0.2, 0.12), rx=0.42, rz=0.36,
    ),
    Tube(Look(echo=-60, wall=-15), at=(3.3, 0, 4.0), lean=(-0.25, 0.1), rx=0.22, rz=0.2),
    Ellipsoid(Look(echo=-15, edge=0.5, loss=3.5), at=(3.6, 1, 9.0), radii=(2.4, 3.5, 1.3)),
    Ellipsoid(
        Look(echo=-68, wall=-9, wall_width=0.11, loss=-1.5),
        at=(0.0, 0.0, 4.8), radii=(1.35, 3.3, 1.3), lean=0.15,
    ),
    Ellipsoid(
        Look(echo=-10, wall=2, wall_width=0.12, loss=48),
        moves={"roll": (0.0, 3.0, 0.36)},
        at=(0.75, -1.4, 5.2), radii=(0.42, 0.46, 0.36), ripple=0.03,
    ),
)  # fmt: skip

STEPS = (
    Step(
        0.0, 6.5,
        "Slide the probe along the right costal margin.",
        "A round black structure with a thin bright wall enters the picture: the gallbladder.",
        "Right costal margin, transverse",
        (Change("shift", 0, 0.8, 4.6),),
    ),
    Step(
        7.0, 13.0,
        "Turn the probe into the long axis of the gallbladder.",
        "The round structure stretches into a pear; the tissue behind it is brighter.",
        "Long axis",
        (Change("rotate", 90, 0.6, 4.4),),
    ),
    Step(
        13.5, 18.5,
        "Change to harmonic imaging.",
        "The gray bands in the front of the lumen disappear; they were reverberations.",
        "Harmonic imaging",
        (Change("haze", -90, 1.4),),
    ),
    Step(
        19.0, 26.0,
        "Fan slowly through the lumen to one side.",
        "A bright focus with a clean black shadow comes into view: a stone near the neck.",
        "Fan through the lumen",
        (Change("tilt", -8, 0.8, 4.4),),
    ),
    Step(
        26.5, 34.5,
        "Keep the probe still and let the patient turn to the left side.",
        "The bright focus and its shadow roll along the back wall toward the fundus: the stone is"
        " free.",
        "Turn the patient",
        (Change("roll", 1, 1.2, 4.6),),
    ),
    Step(
        35.0, 39.5,
        "Reduce the depth from 13 to 9 cm.",
        "The gallbladder fills the screen and its front wall can be judged.",
        "Set the depth",
        tuple(Change("depth", 12 - n, 0.6 + 0.8 * n) for n in range(4)),
    ),
    Step(
        40.0, 42.5,
        "Freeze the picture.",
        "The front wall stands at right angles to the beam.",
        "Freeze",
        (Change("freeze", 1, 0.6),),
    ),
    Step(
        43.0, 47.0,
        "Set the calipers on the two edges of the front wall.",
        "The wall is thin; thickening is ruled out.",
        "Wall thickness",
        (Change("calipers", 1, 1.0),),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        1, 0, 0,
        "What is the purpose of the movement at the beginning?",
        (
            "To displace the bowel gas that lies in front of the organ",
            "To bring the organ into the picture from beside it",
            "To follow the organ along its length from neck to fundus",
            "To place the organ at right angles to the beam for calipers",
        ),
        1,
        "Sliding along the costal margin brings the gallbladder into view.",
    ),
    Mcq(
        2, 2, 2,
        "Which change makes the front part of the lumen black?",
        (
            "More pressure, which pushes the layers of the wall together",
            "A lower overall gain, which darkens all parts of the picture",
            "A smaller depth, which brings the focus closer to the probe",
            "Harmonic imaging, which removes the bands of reverberation",
        ),
        3,
        "The setting changes to harmonic imaging and the bands vanish.",
    ),
    Mcq(
        3, 3, 4,
        "The bright focus has been found. What does the operator test next, and how?",
        (
            "Whether it is free, by letting the patient turn to the side",
            "Whether it has flow, by putting a colour box over the bright focus",
            "Whether it is soft, by pressing the probe down on the organ",
            "Whether it is an artefact, by turning the probe to the other plane",
        ),
        0,
        "The patient turns and the stone rolls to the fundus.",
    ),
    Mcq(
        3, 5, 7,
        "For which finding is the end of the examination prepared?",
        (
            "The volume of the organ before and after a meal",
            "The diameter of the duct beside the organ",
            "The thickness of the wall that faces the probe",
            "The largest extent of the focus in the organ",
        ),
        2,
        "Depth is reduced, the picture frozen, and the front wall measured.",
    ),
)  # fmt: skip

FREE = (
    Free(
        1, 1, 1,
        "Which movement of the probe is shown, and how does the shape of the organ change?",
        "The probe is turned by a quarter turn into the long axis; the round cross-section"
        " stretches into a pear-shaped organ.",
        "Rotation to the long axis of the gallbladder.",
    ),
    Free(
        2, 3, 3,
        "How is the bright focus brought into view, and which sign tells what it is?",
        "The operator fans the probe through the lumen to one side; the focus throws a clean black"
        " shadow, which speaks for a stone.",
        "Fanning shows an echogenic focus with a clean acoustic shadow.",
    ),
    Free(
        3, 4, 4,
        "The probe stays still in this clip. What changes in the picture, and what has been done"
        " to cause it?",
        "The bright focus and its shadow move along the back wall toward the fundus, because the"
        " patient has been turned to the side. The stone is free.",
        "Turning the patient shows that the stone is mobile.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Gallbladder_with_a_Stone",
        title="Gallbladder",
        subtitle="Find it, clear the lumen, test what lies inside",
        duration=47.0,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"shift": -6.6, "haze": -13.0},
    ),
    preset="Abdomen",
    transducer=CONVEX,
    body=BODY,
    seed=23,
    tone=0.75,
    calipers=(Caliper("W", 0.1, 3.56, 0.1, 3.79),),
)
