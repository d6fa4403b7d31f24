"""The models that are asked, and the providers that serve them."""

from django.db import models


class Dialect(models.TextChoices):
    GEMINI = "gemini", "Gemini"
    OPENAI = "openai_compatible", "OpenAI-compatible"
    COMMAND = "command", "Program on the worker's machine"
    BASELINE = "baseline", "Baseline, no network"
    IMPORT = "import", "Imported predictions"
    HUMAN = "human", "Readers, no network"


NEVER_ASKED = (Dialect.IMPORT, Dialect.HUMAN)


class Provider(models.Model):
    """A server that answers. The key comes from the environment variable named by `key_env`,
    or is stored encrypted in `key_sealed`; it is never shown again.
    """

    name = models.CharField(max_length=64, unique=True)
    dialect = models.CharField(max_length=24, choices=Dialect.choices)
    base_url = models.CharField(max_length=300, blank=True)
    command = models.JSONField(
        default=list,
        blank=True,
        help_text='A program\'s argument list, such as ["/opt/model/run", "--fast"]. No shell.',
    )
    key_env = models.CharField(max_length=64, blank=True)
    key_sealed = models.TextField(blank=True, editable=False)
    key_last4 = models.CharField(max_length=4, blank=True, editable=False)
    max_in_flight = models.PositiveIntegerField(default=8)
    requests_per_minute = models.PositiveIntegerField(default=0, help_text="0: no limit of ours.")
    tokens_per_minute = models.PositiveIntegerField(
        default=0, help_text="In and out together. 0: no limit of ours."
    )
    month_cap = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="US dollars that calls with this key may cost in a month. Empty: no cap.",
    )
    public_only = models.BooleanField(
        default=False,
        editable=False,
        help_text="Named by an outsider: called over https at public addresses alone.",
    )
    timeout_seconds = models.PositiveIntegerField(default=300)
    breaker = models.JSONField(default=dict, blank=True, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Contestant(models.Model):
    """A model: what a run asks. (Named so because "model" is Django's word in code.)

    `model_id` is what the provider is asked for; prices are US dollars per million tokens.
    A reference (chance, always-A, shortest option …) is shown grey and never ranked. People
    (`is_human`, readers' own answers) are references too, shown in a section of their own.
    """

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    provider = models.ForeignKey(Provider, models.PROTECT, related_name="contestants")
    model_id = models.CharField(max_length=200, blank=True)
    organisation = models.CharField(max_length=120, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    note = models.CharField(max_length=120, blank=True)
    is_reference = models.BooleanField(default=False)
    is_human = models.BooleanField(default=False)
    can_judge = models.BooleanField(default=False)
    parameters = models.JSONField(default=dict, blank=True)
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    priced_at = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "model"

    def __str__(self) -> str:
        return self.name


class UploadedClip(models.Model):
    """A clip in a provider's file store, put there once for all calls that show it.

    `token` is the pump that uploads it now, until its lease runs out by the database's clock.
    """

    provider = models.ForeignKey(Provider, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    uri = models.CharField(max_length=500, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "sha256"], name="uploaded_clip_unique"),
        ]
