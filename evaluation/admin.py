"""The admin site of the evaluation room: providers with their keys, models with their prices,
and runs to start and stop."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import User
from evaluation.actions.providers import (
    BadAddress,
    BadCommand,
    KeyUnusable,
    check_address,
    check_command,
    has_key,
    save_contestant,
    save_provider,
    set_key,
)
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import cancel_run, pause_run, resume_run, retry_failed, start_run
from evaluation.domain.parameters import BadParameters, read_parameters
from evaluation.models import Contestant, Provider, Run
from evaluation.models.contestant import Dialect


class ProviderForm(forms.ModelForm):
    """The key is written here and never read back."""

    new_key = forms.CharField(
        required=False,
        max_length=400,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text="Stored encrypted, never shown again. Leave empty to keep the stored one.",
    )
    remove_key = forms.BooleanField(required=False, label="Remove the stored key")

    class Meta:
        model = Provider
        fields = (
            "name", "dialect", "base_url", "command", "key_env", "max_in_flight",
            "requests_per_minute", "tokens_per_minute", "month_cap", "timeout_seconds",
        )  # fmt: skip

    def clean_base_url(self) -> str:
        base_url = self.cleaned_data["base_url"].strip()
        try:
            check_address(base_url)
        except BadAddress as error:
            raise forms.ValidationError(str(error)) from None
        return cast("str", base_url)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["command"] = cleaned.get("command") or []
        try:
            check_command(cleaned["command"], needed=cleaned.get("dialect") == Dialect.COMMAND)
        except BadCommand as error:
            self.add_error("command", str(error))
        return cleaned


@admin.register(Provider)
class ProviderAdmin(admin.ModelAdmin):
    """Who answers, where, with which key, how many calls at once."""

    form = ProviderForm
    list_display = ("name", "dialect", "base_url", "key", "max_in_flight")
    readonly_fields = ("key",)

    @admin.display(description="Key")
    def key(self, provider: Provider) -> str:
        if not provider.pk or not has_key(provider):
            return "none"
        if provider.key_sealed:
            return f"stored, ends in …{provider.key_last4}" if provider.key_last4 else "stored"
        return f"from {provider.key_env}"

    def save_model(
        self, request: HttpRequest, obj: Provider, form: ProviderForm, change: bool
    ) -> None:
        by = cast("User", request.user)
        save_provider(provider=obj, by=by)
        new_key = form.cleaned_data["new_key"]
        if new_key or form.cleaned_data["remove_key"]:
            try:
                set_key(provider=obj, key=new_key, by=by)
            except KeyUnusable as error:
                self.message_user(request, str(error), messages.ERROR)

    def has_delete_permission(self, request: HttpRequest, obj: Provider | None = None) -> bool:
        return False


class ContestantForm(forms.ModelForm):
    """A model; its parameters are checked as a run will read them."""

    class Meta:
        model = Contestant
        fields = (
            "name", "slug", "provider", "model_id", "organisation", "open_weights", "note",
            "can_judge", "is_reference", "parameters", "price_in", "price_out", "priced_at",
        )  # fmt: skip

    def clean_parameters(self) -> dict[str, Any]:
        parameters = self.cleaned_data["parameters"] or {}
        try:
            read_parameters(parameters)
        except BadParameters as error:
            raise forms.ValidationError(str(error)) from None
        return cast("dict[str, Any]", parameters)


@admin.register(Contestant)
class ContestantAdmin(admin.ModelAdmin):
    """What can be asked, and at which price (US dollars per million tokens)."""

    form = ContestantForm
    list_display = (
        "name",
        "provider",
        "model_id",
        "can_judge",
        "price_in",
        "price_out",
        "priced_at",
    )
    list_filter = ("provider", "can_judge")
    search_fields = ("name", "model_id")
    prepopulated_fields = {"slug": ("name",)}

    def save_model(
        self, request: HttpRequest, obj: Contestant, form: ContestantForm, change: bool
    ) -> None:
        save_contestant(contestant=obj, by=cast("User", request.user))

    def has_delete_permission(self, request: HttpRequest, obj: Contestant | None = None) -> bool:
        return False


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):
    """Runs are started, paused and ended here too; everything else is on their own page."""

    list_display = ("number", "contestant", "condition", "release", "state", "spent", "started_by")
    list_filter = ("state", "condition", "origin")
    list_select_related = ("contestant", "release", "started_by")
    actions = ("start", "pause", "resume", "cancel", "retry")

    @admin.display(description="Run", ordering="pk")
    def number(self, run: Run) -> str:
        return format_html('<a href="{}">{}</a>', reverse("evaluation:run", args=[run.pk]), run.pk)

    def _each(
        self, request: HttpRequest, runs: QuerySet[Run], change: Callable[..., object], said: str
    ) -> None:
        for run in runs:
            try:
                change(run=run, by=request.user)
            except RunRefused as error:
                self.message_user(request, f"Run {run.pk}: {error}", messages.ERROR)
            else:
                self.message_user(request, f"Run {run.pk} {said}.", messages.SUCCESS)

    @admin.action(description="Start the chosen drafts")
    def start(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._each(request, runs, start_run, "is queued")

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._each(request, runs, pause_run, "is paused")

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._each(request, runs, resume_run, "goes on")

    @admin.action(description="Cancel for good")
    def cancel(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._each(request, runs, cancel_run, "is cancelled")

    @admin.action(description="Ask again what failed")
    def retry(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        self._each(request, runs, retry_failed, "asks again what failed")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False
