"""Abdominal aorta, part 1: from the first transverse view to a measured diameter."""

from annotation.phantom.film import Scene
from annotation.phantom.geometry import CONVEX
from annotation.phantom.lettering import Caliper
from annotation.phantom.scenes.abdomen import AORTIC_BODY
from annotation.phantom.script import Change, Free, Mcq, Script, Step

STEPS = (
    Step(
        0.0, 6.0,
        "Place the probe transversely in the epigastrium. Look for the vertebral body first.",
        "A bright band of bowel gas with a dirty shadow hides the aorta in front of the spine.",
        "Epigastrium, transverse",
    ),
    Step(
        6.5, 15.0,
        "Press the probe down slowly and steadily, and keep the pressure.",
        "The gas moves out of the beam; the round, beating aorta and the flatter vena cava appear"
        " in front of the vertebral body.",
        "Graded pressure",
        (Change("press", 1, 1.0, 5.5),),
    ),
    Step(
        15.5, 20.5,
        "Reduce the imaging depth from 16 to 11 cm, one centimetre at a time.",
        "The aorta fills more of the screen while the front of the vertebra stays in view.",
        "Set the depth",
        tuple(Change("depth", 15 - n, 0.6 + 0.7 * n) for n in range(5)),
    ),
    Step(
        21.0, 27.5,
        "Turn the probe by a quarter turn into the long axis.",
        "The round cross-section draws out into a tube that runs above a row of vertebrae.",
        "Long axis",
        (Change("rotate", 90, 0.8, 4.5),),
    ),
    Step(
        28.0, 33.5,
        "Slide the probe along the vessel toward the feet without leaving its long axis.",
        "The calibre stays even along the course; no segment widens.",
        "Follow the course",
        (Change("slide", 3.6, 0.4, 4.6),),
    ),
    Step(
        34.0, 39.0,
        "Turn the probe back into the transverse plane.",
        "A true cross-section is needed before a diameter can be taken.",
        "Back to transverse",
        (Change("rotate", 0, 0.5, 3.6),),
    ),
    Step(
        39.5, 42.5,
        "Freeze the picture while the aorta is at its widest.",
        "The vessel stands still and can be measured.",
        "Freeze",
        (Change("freeze", 1, 0.59),),
    ),
    Step(
        43.0, 47.0,
        "Set the calipers on the outer front wall and the outer back wall.",
        "The front-to-back diameter from outer wall to outer wall is normal.",
        "Measure outer to outer",
        (Change("calipers", 1, 1.0),),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        2, 0, 1,
        "The target vessel is hidden at first. What does the operator do to bring it into view?",
        (
            "Raises the overall gain until the dark area behind the bright band fills in",
            "Turns the probe into the long axis to look past the edge of the bright band",
            "Presses the probe down steadily so that the bowel gas moves out of the beam",
            "Slides the probe to the flank and looks for the vessel from there through the liver",
        ),
        2,
        "Steady pressure displaces the gas, and aorta and vena cava appear.",
    ),
    Mcq(
        3, 2, 2,
        "What has to be settled before the probe is turned, judging by what is adjusted here?",
        (
            "That the depth shows the vessel large with the front of the vertebra still in view",
            "That colour is filled in from wall to wall without any wrap to the other colour",
            "That the near layers are free of haze after changing to the harmonic frequency",
            "That the frozen picture holds a pair of calipers on both walls of the vessel",
        ),
        0,
        "The depth is reduced from 16 to 11 cm with the vertebra kept in view.",
    ),
    Mcq(
        1, 3, 3,
        "Which movement of the probe is shown, and what does it achieve?",
        (
            "Rocking on the spot, to bring the vessel walls at right angles to the beam",
            "Sliding to the side, to compare the vessel with the vein that lies beside it",
            "Fanning from head to feet, to find the level at which the vessel divides",
            "A quarter turn, to draw the round vessel out into a tube along its course",
        ),
        3,
        "The probe is turned by 90 degrees and the circle becomes a tube.",
    ),
    Mcq(
        1, 7, 7,
        "Between which points does the operator take the distance?",
        (
            "From the inner front wall to the inner back wall",
            "From the outer front wall to the outer back wall",
            "From one inner side wall to the other inner side wall",
            "From the front wall of the vessel to the front of the vertebra",
        ),
        1,
        "The calipers stand on the outer walls, front to back.",
    ),
)  # fmt: skip

FREE = (
    Free(
        2, 1, 1,
        "How does the picture change while the probe is pressed down, and why is this done?",
        "The bright bowel gas and its shadow move out of the picture, so that the aorta and the"
        " vena cava in front of the vertebral body can be seen. Pressure displaces the gas.",
        "Graded pressure moves the gas aside and opens the view of the aorta.",
    ),
    Free(
        1, 4, 4,
        "What is the operator doing in this clip, and what is looked for?",
        "The probe slides along the vessel in its long axis toward the feet, to check that its"
        " calibre stays even and that no segment is widened.",
        "The probe follows the aorta in long axis; the calibre is even.",
    ),
    Free(
        3, 5, 7,
        "The view is changed before the measurement. Which change is made, and why does it come"
        " before the calipers?",
        "The probe is turned back from the long axis into the transverse plane and the picture is"
        " frozen, because the diameter has to be taken on a true cross-section.",
        "Return to transverse, freeze, then measure from outer to outer wall.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Abdominal_Aorta_Part_1",
        title="Abdominal aorta",
        subtitle="Part 1   Find it, clear the view, measure",
        duration=47.0,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"depth": 16.0},
    ),
    preset="Abdomen",
    transducer=CONVEX,
    body=AORTIC_BODY,
    seed=11,
    calipers=(Caliper("D1", 0.0, 5.49, 0.0, 7.36),),
)
