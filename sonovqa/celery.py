"""The Celery application. The database is the truth of the work; messages only wake workers."""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sonovqa.settings")

app = Celery("sonovqa")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_like_the_web_server(**_options: Any) -> None:
    """Keep Celery from installing its own handlers, which would not hide secrets."""
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
