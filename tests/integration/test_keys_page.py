"""A reader's own keys: kept with the account, checked, put back."""

import json

from annotation.domain.key_map import MOVABLE
from annotation.models import Revision

URL = "/account/keys/"


def form(**moves):
    return {key: key for key in MOVABLE} | moves


def test_moves_are_kept_and_reach_every_page(client_for, reviewer):
    client = client_for(reviewer)
    assert "data-moved-keys" not in client.get(URL).content.decode()
    assert client.post(URL, form(KeyK="KeyP", KeyX="Shift+KeyI")).status_code == 302
    reviewer.refresh_from_db()
    assert reviewer.keys == {"KeyK": "KeyP", "KeyX": "Shift+KeyI"}
    said = client.get(URL)
    assert json.loads(said.context["moved_keys"]) == reviewer.keys
    assert "data-moved-keys" in said.content.decode()
    revision = Revision.objects.get(verb="choose_keys")
    assert revision.before == {"keys": {}} and revision.after == {"keys": reviewer.keys}


def test_two_keys_in_one_place_are_refused_with_what_was_typed(client_for, reviewer):
    answer = client_for(reviewer).post(URL, form(KeyK="KeyX"))
    html = answer.content.decode()
    assert answer.status_code == 400 and "also for: drop" in html and "also for: keep" in html
    reviewer.refresh_from_db()
    assert reviewer.keys == {}


def test_hostile_values_come_back_as_text(client_for, reviewer):
    answer = client_for(reviewer).post(URL, form(KeyK='"><script>', KeyX="x" * 99))
    assert answer.status_code == 400
    assert (
        "<script>&" not in answer.content.decode() and '"><script>' not in answer.content.decode()
    )


def test_all_go_back(client_for, reviewer):
    client = client_for(reviewer)
    client.post(URL, form(KeyK="KeyP"))
    client.post(URL, form(KeyK="KeyP") | {"reset": "1"})
    reviewer.refresh_from_db()
    assert reviewer.keys == {}


def test_stored_moves_that_are_broken_move_nothing(client_for, reviewer):
    for broken in ([1], {"KeyK": "KeyX"}, {"KeyK": "<b>"}):
        reviewer.keys = broken
        reviewer.save()
        assert "data-moved-keys" not in client_for(reviewer).get(URL).content.decode()
