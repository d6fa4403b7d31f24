"""One client-made id used for several items at once, on real connections: one row has it."""

import threading
import uuid

import pytest
from django.db import connection

from annotation.actions.answers import give_answer
from annotation.actions.conflicts import IdTaken
from annotation.actions.reviews import cast_vote
from annotation.actions.threads import open_thread
from annotation.models import Answer, Review, Thread
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 6


def vote(made, item, by):
    cast_vote(review_id=made, item_id=item.pk, version_number=1, verdict="keep", by=by)


def answer(made, item, by):
    give_answer(answer_id=made, item_id=item.pk, version_number=1, could_not_tell=True, by=by)


def thread(made, item, by):
    open_thread(thread_id=made, item_id=item.pk, text="Why?", by=by)


@pytest.mark.parametrize(("act", "model"), [(vote, Review), (answer, Answer), (thread, Thread)])
def test_an_id_sent_for_many_items_at_once_belongs_to_one(act, model, reviewer):
    video, made, refused, errors = factories.video(factories.benchmark()), uuid.uuid4(), [], []
    items = [factories.mcq_item(video) for _ in range(AT_ONCE)]
    together = threading.Barrier(AT_ONCE)

    def send(item):
        try:
            together.wait()
            act(made, item, reviewer)
        except IdTaken as error:
            refused.append(error)
        except Exception as error:  # noqa: BLE001  told to the test below
            errors.append(error)
        finally:
            connection.close()

    senders = [threading.Thread(target=send, args=[item]) for item in items]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert not errors
    assert len(refused) == AT_ONCE - 1
    assert model.objects.get().pk == made
