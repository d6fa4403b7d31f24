"""Times as people read them: `m:ss.cc`, seconds in."""


def clock(seconds: float, *, hundredths: bool = True) -> str:
    """Return 71.5 as `1:11.50`, or `1:11` without hundredths; above an hour `1:01:11.50`."""
    ticks = round(max(seconds, 0.0) * 100)
    whole, rest = divmod(ticks, 100)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    text = f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
    return f"{text}.{rest:02d}" if hundredths else text
