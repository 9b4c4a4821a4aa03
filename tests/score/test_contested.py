"""A contested statement in a trial: its status, its reason, and the judge's verdict on it."""

from __future__ import annotations

import pytest

from ragbench.records import AssertionReview, Review, StatementStatus
from ragbench.score import contested_assertion, score_trial


@pytest.fixture
def contested(play, context_of):
    play.agent("One moment.").agent("It is $5 or $9.").user("Thanks.")
    return context_of(play, communicate_info=["$5"])


def test_a_contested_statement_is_not_said_and_says_why(contested) -> None:
    score = score_trial(contested)
    (check,) = score.communicate
    assert (check.status, check.step, check.correct) == (StatementStatus.CONTESTED, 1, False)
    assert check.reason == "one of several: 'it is $5 or $9.'"
    assert score.reason == "COMMUNICATE is 0; '$5' is contested (one of several: 'it is $5 or $9.')"


@pytest.mark.parametrize(("met", "reward"), [(True, 1.0), (False, 0.0), (None, 0.0)])
def test_the_judge_decides_what_is_contested(contested, met, reward) -> None:
    text = contested_assertion(score_trial(contested).communicate[0])
    verdict = AssertionReview(assertion=text, met=met, reason="step 1")
    review = Review(task_id="t", statements=(verdict,))
    assert score_trial(contested, review).reward == reward


def test_a_statement_has_several_wordings(play, context_of) -> None:
    play.agent("Bring the certified certificate.")
    info = {"any_of": ["certified copy of the certificate", "certified certificate"]}
    score = score_trial(context_of(play, communicate_info=[info]))
    assert score.reward == 1.0
    assert score.communicate[0].info == "certified copy of the certificate"
