"""Forms of the evaluation room."""

import json
import uuid
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django import forms
from django.db.models import QuerySet

from annotation.models import Benchmark, Release
from evaluation.actions.run_checks import BUDGET_LIMIT, REPEATS_LIMIT
from evaluation.engine.plan import RUNNABLE
from evaluation.models import Contestant
from evaluation.models.contestant import NEVER_ASKED, Dialect
from evaluation.models.run import Condition

CONDITIONS = [(name, label) for name, label in Condition.choices if name in RUNNABLE]


class ReleaseField(forms.ModelChoiceField):
    """A choice among the releases of all benchmarks."""

    def label_from_instance(self, obj: Release) -> str:
        return f"{obj.benchmark.name}, {obj.tag} ({obj.kept_mcq + obj.kept_free} kept items)"


class RunForm(forms.Form):
    """What a new run asks, and within which bounds."""

    release = ReleaseField(Release.objects.none(), label="Benchmark and release")
    model = forms.ModelChoiceField(Contestant.objects.none())
    condition = forms.ChoiceField(choices=CONDITIONS, help_text="What the model is shown.")
    judge = forms.ModelChoiceField(
        Contestant.objects.none(),
        required=False,
        empty_label="None: free responses stay unscored",
        help_text="Marks free responses.",
    )
    budget = forms.DecimalField(
        required=False,
        min_value=Decimal("0.01"),
        max_value=BUDGET_LIMIT,
        decimal_places=2,
        label="Budget, US dollars",
        help_text="No call begins that could exceed it.",
    )
    repeats = forms.IntegerField(
        min_value=1, max_value=REPEATS_LIMIT, initial=1, help_text="How often each item is asked."
    )
    circular = forms.BooleanField(
        required=False,
        label="Ask every rotation of the options",
        help_text="An MCQ counts as right only where each rotation is answered right.",
    )
    strict = forms.BooleanField(
        required=False,
        label="Never ask again after a lost call",
        help_text="Nothing is paid twice; an item whose reply was lost is listed as unknown.",
    )
    publish_when_done = forms.BooleanField(required=False, label="Publish the entry when done")
    form_key = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = Release.objects.select_related("benchmark").order_by("benchmark__name", "-pk")
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]
        models = self._models()
        self.fields["model"].queryset = models  # type: ignore[attr-defined]
        judges = models.filter(can_judge=True)
        self.fields["judge"].queryset = judges  # type: ignore[attr-defined]
        dress(self)

    def sending(self) -> str:
        """Return what names one sending of the form: its key, and all that is chosen in it."""
        chosen = self.cleaned_data | {"form_key": self.cleaned_data["form_key"] or uuid.uuid4()}
        parts = sorted((name, str(getattr(one, "pk", one))) for name, one in chosen.items())
        return sha256(json.dumps(parts).encode()).hexdigest()

    @staticmethod
    def _models() -> QuerySet[Contestant]:
        models = Contestant.objects.select_related("provider")
        return models.exclude(provider__dialect__in=NEVER_ASKED).order_by("name")


class ReadersForm(forms.Form):
    """On which release readers' answers are to stand, and who judges the free ones."""

    release = forms.ModelChoiceField(Release.objects.none(), empty_label=None, label="Release")
    judge = forms.ModelChoiceField(
        Contestant.objects.none(), required=False, empty_label="Nobody yet", label="Judge"
    )
    publish = forms.BooleanField(required=False, initial=True, label="Publish")

    def __init__(self, *args: Any, benchmark: Benchmark, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judges = Contestant.objects.filter(can_judge=True).order_by("name")
        self.fields["release"].queryset = benchmark.releases.order_by("-pk")  # type: ignore[attr-defined]
        self.fields["judge"].queryset = judges  # type: ignore[attr-defined]
        for name in ("release", "judge"):
            self.fields[name].widget.attrs["class"] = "select"


class ExtendForm(forms.Form):
    """To which release a run is extended, and within which budget."""

    release = forms.ModelChoiceField(Release.objects.none(), empty_label=None, label="Release")
    budget = forms.DecimalField(
        required=False,
        min_value=Decimal("0.01"),
        max_value=BUDGET_LIMIT,
        decimal_places=2,
        label="Budget, US dollars",
        help_text="No call begins that could exceed it.",
    )

    def __init__(self, *args: Any, releases: QuerySet[Release], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]
        dress(self)


class RejudgeForm(forms.Form):
    """Which judge marks the stored free responses once more, and within which budget."""

    judge = forms.ModelChoiceField(Contestant.objects.none(), empty_label=None)
    budget = forms.DecimalField(
        min_value=Decimal("0.01"),
        max_value=BUDGET_LIMIT,
        decimal_places=2,
        label="Budget, US dollars",
        help_text="No call begins that could exceed it.",
    )
    swapped = forms.BooleanField(
        required=False,
        label="Fields in the other order",
        help_text="The judge reads the answer before the reference. Such verdicts tell only"
        " whether the order sways the judge.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judges = Contestant.objects.filter(can_judge=True).exclude(
            provider__dialect__in=[*NEVER_ASKED, Dialect.BASELINE]
        )
        self.fields["judge"].queryset = judges.order_by("name")  # type: ignore[attr-defined]
        dress(self)


def dress(form: forms.Form) -> None:
    """Give the fields of `form` the looks of the pages."""
    for name, field in form.fields.items():
        if isinstance(field.widget, forms.CheckboxInput):
            continue
        is_select = isinstance(field.widget, forms.Select)
        field.widget.attrs["class"] = "select" if is_select else "input"
        if field.help_text:
            field.widget.attrs["aria-describedby"] = f"help-{name}"


class ManyFiles(forms.FileField):
    """One or more files of one input."""

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(ManyFiles, self).clean(file, initial) for file in files]


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class OrganisationForm(forms.Form):
    """An organisation to make, or an account to add to one or to take out."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("make", "add", "remove")])
    name = forms.CharField(max_length=120, required=False)
    a_day = forms.IntegerField(min_value=0, max_value=1000, required=False)
    organisation = forms.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
    username = forms.CharField(max_length=150, required=False)


class SentModelForm(forms.Form):
    """Which model is submitted, to which release."""

    release = forms.ModelChoiceField(
        Release.objects.none(), empty_label=None, to_field_name="tag", label="Release"
    )
    model_name = forms.CharField(
        max_length=120, label="Model", help_text="As it is to stand on the leaderboard."
    )
    organisation = forms.CharField(max_length=120, required=False)
    open_weights = forms.NullBooleanField(
        required=False,
        label="Weights",
        widget=forms.Select(choices=[("", "not stated"), ("true", "open"), ("false", "closed")]),
    )

    def __init__(self, *args: Any, releases: QuerySet[Release], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]
        dress(self)


class EndpointForm(SentModelForm):
    """A server to ask. The key is never sent back to the page."""

    condition = forms.ChoiceField(
        choices=[(one, one.label) for one in Condition if one in RUNNABLE],
        label="Condition",
        help_text="What we are to show the model.",
    )
    base_url = forms.CharField(
        max_length=300,
        label="Base URL",
        help_text="https, a public name, port 443 or 8443; we add /chat/completions.",
        widget=forms.URLInput(attrs={"placeholder": "https://models.example.org/v1"}),
    )
    model_id = forms.CharField(
        max_length=200, label="Model's name there", help_text="What “model” says in each request."
    )
    video_part = forms.ChoiceField(
        choices=[
            ("video_url", "as video_url"),
            ("input_video", "as input_video"),
            ("vllm", "as video_url, as vLLM takes it"),
            ("frames", "as stills"),
        ],
        label="Clips go",
    )
    key = forms.CharField(
        max_length=400,
        help_text="Sealed where it is stored, never shown again, deleted when the submission ends.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )


class SubmissionForm(SentModelForm):
    """Who was asked what, and the files with the replies."""

    condition = forms.ChoiceField(
        choices=Condition.choices, label="Condition", help_text="What the model was shown."
    )
    uploads = ManyFiles(
        label="Files",
        help_text="JSONL of item and prediction, or pred_NAME.json of the original layout.",
        widget=FilesInput(attrs={"accept": ".json,.jsonl"}),
    )


class LookAgainRuleForm(forms.Form):
    """When an item is proposed for another look."""

    blind_share = forms.FloatField(label="Solved blind, share at least", min_value=0, max_value=1)
    blind_replies = forms.IntegerField(
        label="from blind replies, at least", min_value=1, max_value=1000
    )
    rival_share = forms.FloatField(
        label="Models on one other option, share at least", min_value=0, max_value=1
    )
    fewest_models = forms.IntegerField(label="from models, at least", min_value=2, max_value=1000)
