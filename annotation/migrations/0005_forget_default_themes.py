"""Accounts that are dark only because that was the default have never chosen.

Who chose dark has a row in the trail that says so, and keeps it.
"""

from typing import Any

from django.db import migrations


def forget_defaults(apps: Any, schema_editor: Any) -> None:
    chose = (
        apps.get_model("annotation", "Revision")
        .objects.filter(verb="choose_theme", target_kind="account")
        .values("target_id")
    )
    users = apps.get_model("annotation", "User").objects.filter(theme="dark")
    users.exclude(pk__in=chose).update(theme="")


def restore_defaults(apps: Any, schema_editor: Any) -> None:
    apps.get_model("annotation", "User").objects.filter(theme="").update(theme="dark")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_theme_never_chosen")]

    operations = [migrations.RunPython(forget_defaults, restore_defaults)]
