"""The upper abdomen around the aorta, shared by two scenes."""

from annotation.phantom.tissue import Ellipsoid, Look, Shape, Sheet, Tube

LAYERS: tuple[Shape, ...] = (
    Sheet(Look(wall=-8, wall_width=0.07), depth=0.45, wave=0.04),
    Sheet(Look(wall=-12, wall_width=0.06), depth=1.15, wave=0.07),
    Sheet(Look(wall=-10, wall_width=0.06), depth=1.7, wave=0.09),
)

AORTIC_BODY: tuple[Shape, ...] = (
    *LAYERS,
    Ellipsoid(Look(echo=-22, edge=0.4, wall=-15), at=(-4.5, 2, 4.6), radii=(5.6, 7.5, 2.6)),
    Tube(
        Look(echo=-62, wall=-13, loss=-0.3),
        at=(-3.2, 0, 4.4), lean=(0.12, 0.1), rx=0.32, rz=0.26,
    ),
    Tube(
        Look(echo=-62, wall=-9, wall_width=0.08),
        at=(-0.1, 0, 5.5), lean=(0.0, -0.12), rx=0.3, rz=0.28, pulse=0.12,
    ),
    Tube(
        Look(echo=-66, wall=-12, loss=-0.5, flow=-18, surge=0.3),
        at=(-2.1, 0, 7.6), rx=0.95, rz=0.62, squeeze=0.4,
    ),
    Tube(
        Look(echo=-66, wall=-8, wall_width=0.09, loss=-0.6, flow=48, surge=0.25),
        at=(0.0, 0, 7.2), rx=0.95, rz=0.95, pulse=0.06, fork_at=6.0,
    ),
    Ellipsoid(
        Look(echo=-14, wall=-1, wall_width=0.12, loss=34),
        at=(-0.2, 0.6, 10.6), radii=(2.1, 1.55, 1.9), every=3.6,
    ),
    Ellipsoid(
        Look(echo=-9, wall=-3, wall_width=0.2, loss=24, edge=0.35),
        moves={"press": (6.5, 0.4, -0.4)},
        at=(0.4, 0.5, 3.9), radii=(2.4, 3.4, 0.75), ripple=0.12,
    ),
)  # fmt: skip
