"""The ground that annotation and evaluation stand on: settings, routes, worker, adapters."""

from sonovqa.celery import app as celery_app

__version__ = "0.1.0"
__all__ = ["__version__", "celery_app"]
