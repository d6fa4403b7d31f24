"""When a judge counts as calibrated, and in which words a row says how it stands."""

from dataclasses import dataclass

LEAST_KAPPA, LEAST_ANSWERS = 0.6, 100


@dataclass(frozen=True)
class Calibration:
    """How a judge stands by clinicians' grades: quadratic kappa over `n` answers, weighted to
    all answers, with its 95 % interval, and what a benchmark asks of it.

    The lower end of the interval has to reach the least kappa: a high kappa of few answers says
    little, and the number of answers alone does not say how many sources they come from.
    """

    label: str
    rubric: str
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    least_kappa: float = LEAST_KAPPA
    least_answers: int = LEAST_ANSWERS

    @property
    def is_compared(self) -> bool:
        return self.n > 0 and self.kappa is not None

    @property
    def is_calibrated(self) -> bool:
        return (
            self.low is not None and self.low >= self.least_kappa and self.n >= self.least_answers
        )

    @property
    def badge(self) -> str:
        """Return the words of the badge."""
        if self.is_calibrated:
            return "calibrated"
        return "not calibrated" if self.is_compared else "not compared with clinicians"

    @property
    def words(self) -> str:
        """Return a sentence with the figures behind the badge."""
        if not self.is_compared or self.kappa is None:
            return "Its agreement with clinicians has not been measured here."
        interval = ""
        if self.low is not None and self.high is not None:
            interval = f" (95 % interval {self.low:.2f} to {self.high:.2f})"
        found = f"Quadratic kappa with clinicians {self.kappa:.2f}{interval} over {self.n} answers"
        if self.is_calibrated:
            return f"{found}: calibrated."
        wanted = f"{self.least_kappa:.2f} at the lower end over {self.least_answers} answers"
        return f"{found}: not calibrated, which asks for {wanted}."
