"""The Celery application. The database is the truth of the work; messages only wake workers."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sonovqa.settings")

app = Celery("sonovqa")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
