"""The demo benchmark: six synthetic teaching videos, their event logs and their items.

Nothing in it is a picture of a person. `script` says what happens when; drawing and event
logs are made from the same script, so that they cannot disagree.
"""
