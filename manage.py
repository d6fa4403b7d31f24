#!/usr/bin/env python
"""Django's command line, with sonovqa's settings."""

import importlib
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sonovqa.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
        from django.db import OperationalError
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: run `make run` once, then `.venv/bin/python manage.py ...`.")
    try:
        importlib.import_module(os.environ["DJANGO_SETTINGS_MODULE"])
    except ImproperlyConfigured as error:
        sys.exit(f"A setting is wrong: {error}")
    except OSError as error:
        sys.exit(f"The data folder cannot be used ({error}); name another one in SONOVQA_VAR.")
    except ValueError as error:  # of dj_database_url, whose URL may hold a password
        sys.exit(f"A setting is wrong: DATABASE_URL cannot be read ({type(error).__name__}).")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        sys.exit(f"The database does not answer as it should: {str(error).strip()}")


if __name__ == "__main__":
    main()
