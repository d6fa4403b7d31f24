"""What is sealed opens here alone."""

import pytest

from sonovqa import seal


def test_it_opens_again(settings, tmp_path):
    settings.SEAL_KEY = "one"
    sealed = seal.seal("päss")

    assert "päss" not in sealed
    assert seal.unseal(sealed) == "päss"


@pytest.mark.parametrize("key", ["two", ""])
def test_another_key_does_not_open_it(settings, tmp_path, key):
    settings.VAR = tmp_path
    settings.SEAL_KEY = "one"
    sealed = seal.seal("secret")
    settings.SEAL_KEY = key

    with pytest.raises(seal.SealBroken):
        seal.unseal(sealed)


@pytest.mark.parametrize("sealed", ["", "x", "é", "gAAAAA=="])
def test_what_was_never_sealed_is_refused(settings, sealed):
    settings.SEAL_KEY = "one"
    with pytest.raises(seal.SealBroken):
        seal.unseal(sealed)
