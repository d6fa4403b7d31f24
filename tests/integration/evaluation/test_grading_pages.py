"""The grading room and the judge's page: blind until closed, public figures without a secret."""

import re
import uuid

import pytest
from django.urls import reverse

from annotation.models import KeySight, Review
from evaluation.actions.grading_samples import close_sample
from evaluation.judge_audit import audit_judges
from evaluation.models import Grade, GradingSample, JudgeStanding
from evaluation.queries.judge_samples import apart
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
SECRETS = ("Seer 1", "Oracle 2", "Seer 9", "The judge&#x27;s reason.", "The judge's reason.")
GRADE = {"score": 1, "error_type": "wrong_conclusion", "active_seconds": 12}


@pytest.fixture
def sample(reviewer, reviewer_2, maintainer):
    return make.grading_sample(make.judged_release(), [reviewer, reviewer_2], by=maintainer)


@pytest.fixture
def api(client_for, reviewer):
    client = client_for(reviewer)

    def call(method: str, answer: int, grade: uuid.UUID, data=None):
        url = f"/api/v1/grading/{answer}/grades/{grade}/"
        return getattr(client, method)(url, data, content_type="application/json")

    return call


def told(response) -> str:
    return response.content.decode()


def test_nothing_of_the_room_tells_model_or_judge_until_it_is_closed(
    sample, client_for, reviewer, maintainer, api
):
    client = client_for(reviewer)
    start = client.get("/grading/", follow=True)
    page = told(start)
    answer = int(re.search(r'data-item="(\d+)"', page)[1])
    words = sample.answers.get(pk=answer).prediction.answer_text
    assert words in page and "To push the bowel gas aside." in page
    grade = uuid.uuid4()
    heard = [page, told(api("put", answer, grade, GRADE)), told(client.get("/grading/"))]
    heard.append(told(client.get(f"/grading/{sample.pk}/next/?after={answer}", follow=True)))
    heard.append(told(api("delete", answer, grade)))
    item = sample.answers.get(pk=answer).prediction.item_version.item
    Review.objects.create(item=item, item_version=item.current, reviewer=reviewer, verdict="keep")
    evidence = told(client.get(f"/evidence/{item.pk}/"))
    assert "stay closed to you while you grade" in evidence
    for text in (*heard, evidence):
        assert not [secret for secret in SECRETS if secret in text]
    # The seal is off with the sample: what was hidden above is there, so the test can fail.
    close_sample(sample=sample, by=maintainer)
    assert "Seer 1" in told(client.get(f"/evidence/{item.pk}/"))
    assert client.get(f"/grading/{sample.pk}/{answer}/").status_code == 302
    assert "This sample is closed" in told(client.get(f"/grading/{sample.pk}/next/"))


def test_the_api_stores_once_undoes_and_says_what_stands(sample, api):
    answer, grade = sample.answers.first().pk, uuid.uuid4()
    first = api("put", answer, grade, GRADE)
    assert first.status_code == 200 and first.json()["score"] == 1 and first.json()["saved_at"]
    assert api("put", answer, grade, GRADE).status_code == 200 and Grade.objects.count() == 1
    second = uuid.uuid4()
    assert api("put", answer, second, {"score": 2, "error_type": "none"}).status_code == 200
    back = api("delete", answer, second).json()
    assert back["undone"] and back["standing"]["id"] == str(grade)
    assert api("delete", answer, uuid.uuid4()).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"score": 3, "error_type": "none"},
        {"score": "2", "error_type": ["none"]},
        {"score": 2.5, "error_type": "none"},
        {"score": 2, "error_type": "both_fail"},
        {"score": 1, "error_type": "wrong_conclusion\x00"},
        {"score": 1, "error_type": "\ud800"},
        {"score": 1, "error_type": "wrong_conclusion", "active_seconds": "1e999"},
        {"score": 1, "error_type": "wrong_conclusion", "model": "x"},
        {"score": 10**40, "error_type": "none"},
        [], "x", 7, None, {},
    ],
)  # fmt: skip
def test_hostile_grades_are_refused(sample, api, body):
    answer = sample.answers.first().pk
    assert api("put", answer, uuid.uuid4(), body).status_code == 400
    assert not Grade.objects.exists()


def test_what_is_not_ones_own_cannot_be_graded_or_seen(
    sample, client_for, adjudicator, reviewer, api
):
    answer = sample.answers.first().pk
    other = client_for(adjudicator)
    assert other.get(f"/grading/{sample.pk}/{answer}/").status_code == 404
    put = other.put(f"/api/v1/grading/{answer}/grades/{uuid.uuid4()}/", GRADE, "application/json")
    assert put.status_code == 404
    wrong_reader = api("put", answer, uuid.uuid4(), GRADE | {"reader": adjudicator.pk})
    assert wrong_reader.status_code == 409
    mine = client_for(reviewer)
    for place in (10**18, 0):
        assert mine.get(f"/grading/{sample.pk}/{place}/").status_code == 404
    assert "Nothing waits for you" in told(other.get("/grading/"))


def test_an_item_that_is_to_be_answered_first_is_not_shown(sample, client_for, reviewer):
    answer = sample.answers.first()
    item = answer.prediction.item_version.item
    factories.review_round(sample.benchmark, [item], [reviewer], mode="answer")
    page = told(client_for(reviewer).get(f"/grading/{sample.pk}/{answer.pk}/"))
    assert "Answer the question yourself first" in page
    assert "To push the bowel gas aside." not in page and not KeySight.objects.exists()
    free = next(
        one for one in sample.answers.all() if one.prediction.item_version.item_id != item.pk
    )
    client_for(reviewer).get(f"/grading/{sample.pk}/{free.pk}/")
    assert KeySight.objects.get().reader == reviewer, "an answer given later is no blind one"


def test_pages_ask_a_bounded_number_of_queries(
    sample, client_for, reviewer, maintainer, django_assert_max_num_queries
):
    client = client_for(reviewer)
    answer = sample.answers.first().pk
    with django_assert_max_num_queries(32):
        assert client.get(f"/grading/{sample.pk}/{answer}/").status_code == 200
    make.grade(sample, reviewer, [0, 1, 2] * 4)
    audit_judges(close_sample(sample=sample, by=maintainer))
    with django_assert_max_num_queries(12):
        assert client.get(f"/b/{sample.benchmark.slug}/judge/").status_code == 200


def test_the_judges_page_shows_figures_to_all_and_answers_to_few(
    sample, client, client_for, reviewer, reviewer_2, maintainer
):
    url = f"/b/{sample.benchmark.slug}/judge/"
    assert "Not compared with clinicians" in told(client.get(url))
    make.grade(sample, reviewer, [2, 0, 1] * 4)
    make.grade(sample, reviewer_2, [0, 1, 2] * 4)
    assert "Not compared with clinicians" in told(client.get(url)), "an open sample tells nothing"
    audit_judges(close_sample(sample=sample, by=maintainer))
    page = told(client.get(url))
    agreement = ("Seer 9", "Clinicians with one another", "Self-preference", "Short answers")
    for words in (
        *agreement,
        "No answer was marked twice",
        "rejudge RUN --swapped",
        "A panel needs two",
        "not calibrated",
    ):
        assert words in page, words
    version = sample.answers.first().prediction.item_version
    secrets = (version.reference_answer, version.stem, reviewer.username, "The probe presses")
    assert not [one for one in secrets if one in page]
    assert "The probe presses" in told(client_for(maintainer).get(url))
    assert client.get(f"{url}?sample=0").status_code == 404
    sample.benchmark.is_public = False
    sample.benchmark.save()
    assert client.get(url).status_code == 404


def test_the_judges_page_tells_what_the_order_of_the_fields_does(
    sample, client, reviewer, maintainer
):
    make.grade(sample, reviewer, [2] * 12)
    run = sample.answers.first().prediction.run
    again = make.run(run.release, rejudges=run, origin="rejudge")
    for place, row in enumerate(sample.answers.order_by("position")):
        found = row.prediction.judgements.get()
        fields = {"judge_label": found.judge_label, "rejudging": again}
        make.judgement(row.prediction, found.score, repeat=1, **fields)
        swapped = 2 - found.score if place % 2 else found.score
        make.judgement(row.prediction, swapped, rubric_version="r1-swapped", **fields)
        other = fields | {"judge_label": "Oracle 9"}
        make.judgement(row.prediction, 0, rubric_version="r1-swapped", **other)
    audit_judges(close_sample(sample=sample, by=maintainer))
    page = told(client.get(f"/b/{sample.benchmark.slug}/judge/"))
    card = page[page.index("Order of the fields") :].partition("</section>")[0]
    sample.refresh_from_db()
    (measured,) = sample.figures["order"][1:]
    assert measured["label"] == "Seer 9" and measured["differ"][0] > 0
    share = round(100 * measured["differ"][0])
    for words in (
        f"<strong>{share} %</strong>",
        ">0 % ",
        f">+{share} ",
        "no answer in both orders",
    ):
        assert words in card, words
    assert {one.judge for one in apart(sample)} == {"Seer 9"}, "the other order stands by itself"


def test_badges_follow_the_standing_and_the_rule(sample, client, client_for, maintainer):
    from evaluation.leaderboard import compute_entry

    run = sample.answers.first().prediction.run
    entry = compute_entry(run)
    entry.published_at = entry.computed_at
    entry.save()
    slug = sample.benchmark.slug
    board, model = f"/b/{slug}/leaderboard/", f"/b/{slug}/models/{run.contestant.slug}/"
    assert "judge not compared with clinicians" in told(client.get(board))
    assert "not compared with clinicians" in told(client.get(model))
    JudgeStanding.objects.create(
        benchmark=sample.benchmark, sample=sample, judge_label="Seer 9", rubric_version="r1",
        kappa=0.8, low=0.65, high=0.9, n=99,
    )  # fmt: skip
    assert "judge not calibrated" in told(client.get(board))
    JudgeStanding.objects.update(n=120)
    assert "judge calibrated" in told(client.get(board))
    assert "Seer 9: calibrated" in told(client.get(model))
    rule = {"least_kappa": "0.7", "least_answers": "100"}
    client_for(maintainer).post(f"/b/{slug}/judge/rule/", rule)
    assert "judge not calibrated" in told(client.get(board)), "the lower end counts"


def test_a_maintainer_draws_opens_closes(client_for, maintainer, reviewer, reviewer_2):
    release = make.judged_release()
    client, url = client_for(maintainer), f"/b/{release.benchmark.slug}/grading/"
    page = told(client.get(url))
    assert "Seer 1 (6 judged answers)" in page and reviewer.username in page
    form = {
        "release": "r1", "name": "First", "size": "12", "grades_wanted": "2", "seed": "5",
        "runs": [str(run.pk) for run in release.runs.all()],
        "graders": [str(reviewer.pk), str(reviewer_2.pk)],
    }  # fmt: skip
    for bad in ({"size": "5"}, {"size": "x"}, {"graders": []}, {"runs": ["0"]}, {"name": "\x00"},
                {"grades_wanted": "5"}, {"release": "r1\x00"}, {"seed": "1e999"}):  # fmt: skip
        answer = client.post(url, form | bad)
        assert answer.status_code == 200 and 'role="alert"' in told(answer), bad
    assert not GradingSample.objects.exists()
    client.post(url, form)
    sample = GradingSample.objects.get()
    for action, state in (("close", "draft"), ("open", "open"), ("discard", "open"),
                          ("close", "closed"), ("compute", "closed")):  # fmt: skip
        client.post(f"{url}{sample.pk}/{action}/")
        sample.refresh_from_db()
        assert sample.state == state
    assert sample.figures["graded"] == 0
    assert client.post(f"{url}{sample.pk}/dance/").status_code == 404
    wrong = client.post(reverse("evaluation:judge_rule", args=[release.benchmark.slug]), {})
    assert wrong.status_code == 302
