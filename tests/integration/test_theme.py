"""Which theme a page has: the account's, the cookie's, or the room's own."""

import re
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.actions.accounts import choose_theme
from annotation.context import OUTSIDE
from annotation.models import User
from tests import factories
from tests.integration.test_permissions import EVERYBODY, TABLE

PUBLIC, ROOM = "/method/", "/review/"


def theme_at(client, path):
    found = re.search(rb'<html lang="en"(?: data-theme="(\w+)")?', client.get(path).content)
    return (found[1] or b"").decode()


def test_who_never_chose_follows_the_system_in_public_and_is_dark_in_review(client_for, reviewer):
    client = client_for(reviewer)

    assert reviewer.theme == ""
    assert (theme_at(client, PUBLIC), theme_at(client, ROOM)) == ("", "dark")


@pytest.mark.parametrize(("chosen", "seen"), [("dark", "dark"), ("light", "light"), ("system", "")])
def test_a_choice_holds_everywhere(client_for, reviewer, chosen, seen):
    client = client_for(reviewer)
    client.post(reverse("annotation:theme"), {"theme": chosen})

    assert (theme_at(client, PUBLIC), theme_at(client, ROOM)) == (seen, seen)


def test_a_choice_can_be_forgotten(client_for, reviewer):
    client = client_for(reviewer)
    client.post(reverse("annotation:theme"), {"theme": "light"})
    client.post(reverse("annotation:theme"), {"theme": ""})

    assert (theme_at(client, PUBLIC), theme_at(client, ROOM)) == ("", "dark")


def test_a_visitor_has_a_cookie(client, db):
    assert theme_at(client, PUBLIC) == ""
    client.post(reverse("annotation:theme"), {"theme": "light"})
    assert theme_at(client, PUBLIC) == "light"


@pytest.mark.parametrize("said", [{}, {"theme": "pink"}, {"theme": "DARK"}, {"theme": "dark\0"}])
def test_an_unknown_theme_is_refused(client_for, reviewer, said):
    assert client_for(reviewer).post(reverse("annotation:theme"), said).status_code == 400


def test_what_everybody_may_open_here_is_outside_the_review_rooms():
    names = [
        name
        for name, row in TABLE.items()
        if row.who == EVERYBODY and name.startswith("annotation:")
    ]

    assert names
    for name in names:
        assert reverse(name, kwargs=dict.fromkeys(TABLE[name].places, "x")).startswith(OUTSIDE)


def test_the_migration_keeps_what_was_chosen(db):
    chose, never = factories.account(theme="dark"), factories.account(theme="dark")
    light = factories.account(theme="light")
    choose_theme(theme="dark", by=chose)
    migration = import_module("annotation.migrations.0005_forget_default_themes")

    migration.forget_defaults(apps, None)

    themes = dict(User.objects.values_list("pk", "theme"))
    assert (themes[chose.pk], themes[never.pk], themes[light.pk]) == ("dark", "", "light")
