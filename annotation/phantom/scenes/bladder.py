"""Urinary bladder: depth, harmonics, ureteric jets and a volume."""

from annotation.phantom.colour_flow import ColourBox
from annotation.phantom.film import Scene
from annotation.phantom.geometry import CONVEX
from annotation.phantom.lettering import Caliper
from annotation.phantom.scenes.abdomen import LAYERS
from annotation.phantom.script import Change, Free, Mcq, Script, Step
from annotation.phantom.tissue import Ellipsoid, Look, Shape

BODY: tuple[Shape, ...] = (
    *LAYERS,
    Ellipsoid(
        Look(echo=-68, wall=-8, wall_width=0.16, loss=-1.0, edge=0.08),
        at=(0, -0.4, 5.4), radii=(4.1, 3.7, 2.7), ripple=0.05,
    ),
    Ellipsoid(
        Look(echo=-25, edge=0.15, wall=-11, wall_width=0.08),
        at=(0, 3.5, 8.4), radii=(2.2, 1.8, 1.5),
    ),
    Ellipsoid(
        Look(echo=-68, edge=0.35, flow=30, surge=0.25),
        moves={"jet": (0.0, -5.0, 0.0)},
        at=(1.1, 4.7, 7.0), radii=(1.5, 0.8, 0.34),
    ),
    Ellipsoid(
        Look(echo=-68, edge=0.35, flow=30, surge=0.25),
        moves={"jet": (0.0, 5.0, 0.0)},
        at=(-1.2, -0.3, 7.0), radii=(1.5, 0.8, 0.34),
    ),
    Ellipsoid(
        Look(echo=-8, wall=1, wall_width=0.14, loss=40), at=(0, 5.9, 3.1), radii=(5, 1.3, 0.9)
    ),
)  # fmt: skip

STEPS = (
    Step(
        0.0, 5.0,
        "Place the probe transversely above the pubic bone.",
        "The black bladder fills the picture and its back wall lies below the lower edge.",
        "Above the pubic bone, transverse",
    ),
    Step(
        5.5, 10.5,
        "Increase the depth from 7 to 12 cm.",
        "The back wall and the bright tissue behind it come into view.",
        "Set the depth",
        tuple(Change("depth", 8 + n, 0.6 + 0.7 * n) for n in range(5)),
    ),
    Step(
        11.0, 16.5,
        "Change to harmonic imaging.",
        "Gray bands in the front of the bladder disappear; the front wall becomes sharp.",
        "Harmonic imaging",
        (Change("haze", -90, 1.6),),
    ),
    Step(
        17.0, 25.0,
        "Switch colour Doppler on over the base of the bladder and wait.",
        "Colour shoots in from one side and then from the other: both ureters pass urine.",
        "Wait for the jets",
        (
            Change("doppler", 1, 0.6),
            Change("jet", 1, 2.2, 0.7),
            Change("jet", 0.5, 4.0, 0.6),
            Change("jet", 0, 5.6, 0.6),
            Change("jet", 0.5, 7.2, 0.5),
        ),
    ),
    Step(
        25.5, 30.0,
        "Switch the colour off and turn the overall gain down.",
        "The bright back wall no longer blooms and its edge can be seen.",
        "Overall gain",
        (Change("doppler", 0, 0.3), Change("gain", -1, 1.0, 2.4)),
    ),
    Step(
        30.5, 36.5,
        "Turn the probe into the sagittal plane.",
        "The bladder is seen in profile; the prostate lies below its neck, toward the feet.",
        "Sagittal",
        (Change("rotate", 90, 0.6, 4.2),),
    ),
    Step(
        37.0, 39.5,
        "Freeze the picture.",
        "The largest sagittal section stands still.",
        "Freeze",
        (Change("freeze", 1, 0.6),),
    ),
    Step(
        40.0, 45.5,
        "Measure length and height of the bladder.",
        "Together with the width they give the volume.",
        "Length and height",
        (Change("calipers", 1, 1.0), Change("calipers", 2, 3.0)),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        2, 0, 1,
        "Which fault of the first view is corrected, and by which control?",
        (
            "The front wall is blurred, and the frequency is changed",
            "The back wall is cut off, and the depth is increased",
            "The back wall blooms, and the overall gain is reduced",
            "The side walls are lost, and the probe is turned round",
        ),
        1,
        "The depth goes from 7 to 12 cm and shows the back wall.",
    ),
    Mcq(
        1, 3, 3,
        "Why does the operator wait with the mode switched on?",
        (
            "To see the vessels in the wall fill during a heart beat",
            "To let the patient breathe in and hold it",
            "To see urine enter from the two ureters in turn",
            "To let the bladder fill until its walls are smooth",
        ),
        2,
        "Colour shows the jets of both ureters.",
    ),
    Mcq(
        3, 5, 5,
        "Which view follows the transverse one, and what for?",
        (
            "The sagittal one, in which length and height can be taken",
            "The oblique one, in which one ureter is seen along its course",
            "The flank view, in which the kidneys are checked for stasis",
            "The coronal one, in which both side walls are seen",
        ),
        0,
        "The probe is turned to sagittal before freezing and measuring.",
    ),
    Mcq(
        3, 6, 7,
        "To which result do the last steps lead?",
        (
            "The thickness of the wall",
            "The speed of the jets",
            "The size of the prostate",
            "The volume of the bladder",
        ),
        3,
        "Length and height are measured for the volume.",
    ),
)  # fmt: skip

FREE = (
    Free(
        2, 2, 2,
        "Which artefact is removed in this clip, and how?",
        "Gray bands of reverberation in the front of the bladder are removed by changing to"
        " harmonic imaging.",
        "Harmonic imaging removes near-field reverberation.",
    ),
    Free(
        1, 3, 3,
        "What appears in the black area while the operator waits, and what does it prove?",
        "Short streaks of colour enter from one side and then from the other; they are jets of"
        " urine and prove that both ureters are open.",
        "Ureteric jets on both sides.",
    ),
    Free(
        3, 4, 6,
        "List what is done between the end of colour Doppler and the measurement.",
        "The overall gain is turned down, the probe is turned into the sagittal plane, and the"
        " picture is frozen.",
        "Gain down, rotation to sagittal, freeze.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Urinary_Bladder_Volume",
        title="Urinary bladder",
        subtitle="From the first view to the volume",
        duration=45.5,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"depth": 7.0, "haze": -16.0, "gain": 6.0, "scale": 24.0},
    ),
    preset="Pelvis",
    transducer=CONVEX,
    body=BODY,
    seed=56,
    mirrored=True,
    tone=0.7,
    box=ColourBox(-0.7, 0.7, 4.6, 8.6),
    calipers=(Caliper("L", -3.95, 5.3, 3.1, 5.3), Caliper("H", -0.4, 2.7, -0.4, 8.1)),
)
