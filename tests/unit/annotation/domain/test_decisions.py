import pytest

from annotation.domain.decisions import OPEN, Decision, decide

BY_IMPORT = Decision("kept", True, "import")
BY_ADJUDICATOR = Decision("dropped", False, "adjudicator")
KEPT = Decision("kept", True, "votes")
DROPPED = Decision("dropped", False, "votes")
DISAGREEMENT = Decision("disagreement", None, "")
UNSURE = Decision("unsure", None, "")


@pytest.mark.parametrize(
    ("verdicts", "required", "base", "wanted"),
    [
        ([], 1, OPEN, OPEN),
        (["keep"], 1, OPEN, KEPT),
        (["drop"], 1, OPEN, DROPPED),
        (["keep"], 2, OPEN, OPEN),
        (["keep", "keep"], 2, OPEN, KEPT),
        (["unsure"], 1, OPEN, UNSURE),
        (["unsure", "keep"], 1, OPEN, KEPT),
        (["unsure", "keep"], 2, OPEN, UNSURE),
        (["keep", "drop"], 1, OPEN, DISAGREEMENT),
        (["keep", "keep", "drop"], 2, OPEN, DISAGREEMENT),
        ([], 1, BY_IMPORT, BY_IMPORT),
        (["drop"], 1, BY_IMPORT, DROPPED),
        (["drop"], 2, BY_IMPORT, BY_IMPORT),
        (["unsure"], 1, BY_IMPORT, BY_IMPORT),
        (["keep", "keep", "keep"], 1, BY_ADJUDICATOR, BY_ADJUDICATOR),
    ],
)
def test_decide(verdicts, required, base, wanted):
    assert decide(verdicts, votes_required=required, base=base) == wanted
