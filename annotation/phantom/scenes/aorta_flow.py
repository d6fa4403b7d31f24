"""Abdominal aorta, part 2: gain, colour Doppler, and the way to the bifurcation."""

from annotation.phantom.colour_flow import ColourBox
from annotation.phantom.film import Scene
from annotation.phantom.geometry import CONVEX
from annotation.phantom.scenes.abdomen import AORTIC_BODY
from annotation.phantom.script import Change, Free, Mcq, Script, Step

STEPS = (
    Step(
        0.0, 5.0,
        "Hold the long axis and look at the lumen.",
        "The whole picture is too bright; gray haze fills the lumen and blurs the walls.",
        "Long axis, first look",
    ),
    Step(
        5.5, 11.0,
        "Turn the overall gain down until the lumen is black.",
        "The haze disappears from the lumen and the walls stand out.",
        "Overall gain",
        (Change("gain", 0, 0.6, 3.6),),
    ),
    Step(
        11.5, 17.5,
        "Switch colour Doppler on and put the box over the vessel.",
        "The stream is red at the walls and blue in its middle: the speed exceeds the scale and"
        " the colour wraps.",
        "Colour Doppler",
        (Change("doppler", 1, 0.8),),
    ),
    Step(
        18.0, 24.0,
        "Raise the velocity scale step by step.",
        "The blue core disappears; one colour fills the lumen from wall to wall.",
        "Velocity scale",
        tuple(Change("scale", 34 + 13 * n, 0.3 + n) for n in range(1, 5)),
    ),
    Step(
        24.5, 29.5,
        "Switch the colour off and turn the probe into the transverse plane.",
        "The tube closes into a circle in front of the vertebra.",
        "Transverse",
        (Change("doppler", 0, 0.3), Change("rotate", 0, 0.8, 3.4)),
    ),
    Step(
        30.0, 39.5,
        "Slide the probe toward the feet, down to the level of the navel.",
        "The single circle divides into two smaller ones: the common iliac arteries.",
        "Down to the bifurcation",
        (Change("slide", 8.2, 0.5, 8.0),),
    ),
    Step(
        40.0, 44.0,
        "Freeze the picture at the bifurcation.",
        "The lower end of the examined course is documented.",
        "Freeze",
        (Change("freeze", 1, 0.8),),
    ),
)  # fmt: skip

MCQ = (
    Mcq(
        2, 0, 1,
        "What is wrong with the first picture, and which control is used against it?",
        (
            "It is too bright and the lumen looks filled; the overall gain is turned down",
            "It is too shallow and the back wall is cut off; the depth is increased",
            "It is too dark behind the bone; the gain of the far field is turned up",
            "It is too grainy near the skin; the frequency is changed to the harmonic",
        ),
        0,
        "The overall gain is reduced until the lumen is black.",
    ),
    Mcq(
        2, 2, 3,
        "The colours in the vessel change during this clip. What is corrected?",
        (
            "Colour outside the vessel is removed by making the colour box smaller",
            "Missing colour at the walls is filled in by raising the colour gain",
            "Flicker of the colour is calmed by asking the patient to hold the breath",
            "Wrapping of the colour in the stream is removed by raising the velocity scale",
        ),
        3,
        "Aliasing with a blue core disappears when the scale goes up.",
    ),
    Mcq(
        1, 5, 5,
        "Why does the operator slide the probe over this distance?",
        (
            "To leave the shadow of the rib that covers the front wall of the vessel",
            "To reach the level at which the vessel divides into its two branches",
            "To find the artery to the bowel that leaves from the front wall",
            "To move the overlying bowel gas away from the area of interest",
        ),
        1,
        "The probe slides to the navel, where the aorta divides.",
    ),
    Mcq(
        3, 5, 6,
        "Which step of the examination is completed when the picture stops?",
        (
            "The first localisation of the vessel at the upper end of its course",
            "The check of flow direction in the vein that lies beside the vessel",
            "The survey of the vessel down to the lower end of its course",
            "The measurement of the vessel at the widest point of its course",
        ),
        2,
        "The survey ends at the bifurcation, which is frozen for the record.",
    ),
)  # fmt: skip

FREE = (
    Free(
        2, 1, 1,
        "Which adjustment of the machine is seen here, and how can its effect be recognised?",
        "The overall gain is turned down: the picture darkens, the haze in the lumen disappears"
        " and the vessel walls stand out clearly.",
        "Overall gain is reduced until the lumen is black.",
    ),
    Free(
        3, 2, 4,
        "Describe the order of steps with colour Doppler and what follows once it is switched off.",
        "Colour is switched on over the vessel, the velocity scale is raised until the colour no"
        " longer wraps, then colour is switched off and the probe is turned to transverse.",
        "Colour on, scale raised, colour off, rotation to transverse.",
    ),
    Free(
        1, 5, 5,
        "What happens to the round vessel while the probe slides, and what does it mean?",
        "The single circle divides into two smaller circles side by side, which shows that the"
        " probe has reached the bifurcation into the common iliac arteries.",
        "The aorta divides into the common iliac arteries.",
    ),
)  # fmt: skip

SCENE = Scene(
    Script(
        name="Abdominal_Aorta_Part_2",
        title="Abdominal aorta",
        subtitle="Part 2   Gain, colour and the bifurcation",
        duration=44.0,
        steps=STEPS,
        mcq=MCQ,
        free=FREE,
        at_first={"depth": 11.0, "rotate": 90.0, "press": 0.9, "gain": 15.0, "scale": 34.0},
    ),
    preset="Abdomen",
    transducer=CONVEX,
    body=AORTIC_BODY,
    seed=12,
    box=ColourBox(-0.5, 0.5, 4.9, 8.1),
)
