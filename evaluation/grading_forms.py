"""Forms of the judge audit: a new sample of answers, and the rule of the badge."""

import secrets
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from annotation.models import Benchmark, Release, User
from annotation.models.account import Role
from evaluation.actions.grading_samples import (
    LARGEST,
    LARGEST_SEED,
    LONGEST_INSTRUCTIONS,
    LONGEST_NAME,
    MOST_WANTED,
)
from evaluation.actions.run_checks import BUDGET_LIMIT
from evaluation.models import Contestant
from evaluation.models.contestant import NEVER_ASKED, Dialect
from evaluation.queries.grading_candidates import OfferedRun, offered_runs

ADVISED = 120


class SampleForm(forms.Form):
    """Which answers are drawn, how many, and who grades them."""

    release = forms.ModelChoiceField(
        Release.objects.none(), empty_label=None, to_field_name="tag", label="Release"
    )
    name = forms.CharField(max_length=LONGEST_NAME, label="Name")
    size = forms.IntegerField(
        min_value=1,
        max_value=LARGEST,
        initial=ADVISED,
        label="Answers",
        help_text="At least 100, or a badge cannot be had.",
    )
    grades_wanted = forms.IntegerField(
        min_value=1,
        max_value=MOST_WANTED,
        initial=2,
        label="Grades per answer",
        help_text="Two or more tell how far clinicians agree.",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=LARGEST_SEED, help_text="The same seed draws the same answers."
    )
    instructions = forms.CharField(
        max_length=LONGEST_INSTRUCTIONS, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    runs = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label="Models whose answers are drawn"
    )
    graders = forms.ModelMultipleChoiceField(
        User.objects.none(), widget=forms.CheckboxSelectMultiple, label="Graders"
    )

    def __init__(self, data: Any = None, *, benchmark: Benchmark, asked: Mapping[str, str]) -> None:
        super().__init__(data, initial={"seed": secrets.randbelow(LARGEST_SEED)})
        releases = benchmark.releases.order_by("-pk")
        tag = (data or asked).get("release", "").replace("\x00", "")
        self.drawn_from = releases.filter(tag=tag).first() or releases.first()
        self.offered: list[OfferedRun] = offered_runs(self.drawn_from) if self.drawn_from else []
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]
        self.fields["release"].initial = self.drawn_from and self.drawn_from.tag
        self.fields["runs"].choices = [  # type: ignore[attr-defined]
            (str(one.run.pk), f"{one.name} ({one.answers} judged answers)") for one in self.offered
        ]
        self.fields["runs"].initial = [str(one.run.pk) for one in self.offered]
        self.fields["graders"].queryset = (  # type: ignore[attr-defined]
            User.objects.filter(is_active=True).exclude(role=Role.NONE).order_by("username")
        )
        for name in ("release", "name", "size", "grades_wanted", "seed", "instructions"):
            widget = self.fields[name].widget
            widget.attrs["class"] = "select" if isinstance(widget, forms.Select) else "input"
            if self.fields[name].help_text:
                widget.attrs["aria-describedby"] = f"help-{name}"

    def clean_runs(self) -> list[Any]:
        chosen = set(self.cleaned_data["runs"])
        return [one.run for one in self.offered if str(one.run.pk) in chosen]

    def clean_graders(self) -> list[User]:
        return list(self.cleaned_data["graders"])


class AttackForm(forms.Form):
    """Which judge is attacked, on the items of which release, for how much money."""

    release = forms.ModelChoiceField(
        Release.objects.none(), empty_label=None, to_field_name="tag", label="Release"
    )
    judge = forms.ModelChoiceField(Contestant.objects.none(), empty_label=None, label="Judge")
    budget = forms.DecimalField(
        min_value=Decimal("0.01"),
        max_value=BUDGET_LIMIT,
        decimal_places=2,
        initial=Decimal(1),
        label="Budget, US dollars",
    )

    def __init__(self, data: Any = None, *, benchmark: Benchmark) -> None:
        super().__init__(data, auto_id="attack_%s")  # beside the form of a sample
        judges = Contestant.objects.filter(can_judge=True).exclude(
            provider__dialect__in=(*NEVER_ASKED, Dialect.BASELINE)
        )
        self.fields["release"].queryset = benchmark.releases.order_by("-pk")  # type: ignore[attr-defined]
        self.fields["judge"].queryset = judges.order_by("name")  # type: ignore[attr-defined]
        for name, field in self.fields.items():
            field.widget.attrs["class"] = "input" if name == "budget" else "select"
        self.has_judges = judges.exists()


class JudgeRuleForm(forms.Form):
    """When a judge is called calibrated."""

    least_kappa = forms.FloatField(label="Lower end of kappa at least", min_value=0, max_value=1)
    least_answers = forms.IntegerField(
        label="from graded answers, at least", min_value=10, max_value=1_000_000
    )
