"""What the API's page says of a parameter."""

from evaluation.board.api_page import operations


def test_a_choice_names_its_values() -> None:
    asked = {"name": "condition", "schema": {"type": "string", "enum": ["video", "blind"]}}
    found = {"parameters": [asked], "responses": {"200": {}}}
    (one,) = operations({"paths": {"/x/": {"get": found}}})
    assert one.parameters == [("condition", "one of video, blind", "")]
