"""What annotation tells whoever listens; it does not know who does."""

from django.dispatch import Signal

# Sent after the transaction in which a release was made has committed; argument: release.
release_made = Signal()
