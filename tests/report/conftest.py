"""Hand-made trials: one that went well, one partly retrieved, one late and wrong, one lost."""

import pytest

from ragbench.records import (
    ActionCheck,
    CallClass,
    CallDiagnosis,
    CommunicateCheck,
    Diagnosis,
    ItemDiagnosis,
    NeedDiagnosis,
    NeedStatus,
    Score,
    Termination,
    TrialScore,
)
from ragbench.runner import summarise


def _call(number, kind, query, step, tokens, recall, stale=False):
    return CallDiagnosis(
        call_id=f"call-{number}",
        step=step,
        position=0,
        query=query,
        call_class=kind,
        stale=stale,
        evidence_recall=recall,
        n_tokens=tokens,
    )


def _trial(task_id, reward, label, termination=Termination.USER_STOP, trial=0, beats=False, **more):
    score_fields = ("components", "reason", "actions", "communicate", "extra_writes")
    return TrialScore(
        task_id=task_id,
        trial=trial,
        termination=termination,
        n_steps=8,
        score=Score(reward=reward, **{k: more.pop(k) for k in score_fields if k in more}),
        diagnosis=Diagnosis(label=label, **more),
        beats_reference=beats,
    )


@pytest.fixture
def scores():
    """Six trials of six tasks, sorted."""
    efficient = _trial(
        "extend_loan",
        1.0,
        "efficient",
        components={"DB": 1.0},
        actions=(
            ActionCheck(action_id="extend", name="extend_loan", call_id="c9", step=4, correct=True),
        ),
        sufficient_context=True,
        n_calls=1,
        n_useful=1,
        evidence_recall=1.0,
        under_retrieval=0.0,
        late_recall=0.0,
        document_recall=1.0,
        over_retrieval=0.875,
        over_retrieval_floor=0.5,
        evidence_precision=0.125,
        tokens_per_item=800.0,
        excess_share=0.75,
        misses_per_call=0.0,
        over_search_rate=0.0,
        under_search_rate=0.0,
        n_consumers_attempted=1,
        retrieved_tokens=800,
        excess_tokens=600,
        calls_to_sufficiency=1,
        post_sufficiency_calls=0,
        needs=(
            NeedDiagnosis(
                need_id="term", deadline=4, status=NeedStatus.MET, consumers_correct=True
            ),
        ),
        items=(ItemDiagnosis(need_id="term", index=0, covered_at=3, in_time=True),),
        calls=(_call(1, CallClass.USEFUL, "how long may a tool be kept", 2, 800, 1.0),),
    )
    partial = _trial(
        "waive_fault",
        0.0,
        "evidence_partial",
        components={"DB": 0.0, "COMMUNICATE": 1.0},
        reason="DB is 0",
        actions=(
            ActionCheck(
                action_id="waive",
                name="waive_fee",
                call_id="c2",
                step=6,
                differences={"ground": ("FAULT", "CLOSURE")},
            ),
            ActionCheck(action_id="unlock", name="unlock_tool"),
        ),
        communicate=(
            CommunicateCheck(index=0, info="7.50", step=7),
            CommunicateCheck(index=1, info="FAULT"),
        ),
        extra_writes=("c2",),
        sufficient_context=False,
        attribution="retrieval",
        n_calls=3,
        n_useful=1,
        n_missed=1,
        n_redundant=1,
        n_stale=1,
        n_failed_calls=1,
        evidence_recall=0.25,
        under_retrieval=0.75,
        late_recall=0.25,
        over_retrieval=0.9,
        over_retrieval_floor=0.7,
        evidence_precision=0.1,
        tokens_per_item=1200.0,
        excess_share=2 / 3,
        misses_per_call=1 / 3,
        avoidable_tokens=800,
        over_search_rate=1 / 3,
        under_search_rate=0.5,
        n_consumers_attempted=2,
        n_consumers_uninformed=1,
        retrieved_tokens=2400,
        excess_tokens=1600,
        needs=(
            NeedDiagnosis(
                need_id="ground", deadline=5, status=NeedStatus.LATE, consumers_correct=False
            ),
            NeedDiagnosis(
                need_id="how", deadline=6, status=NeedStatus.UNMET, consumers_correct=False
            ),
        ),
        items=(
            ItemDiagnosis(need_id="ground", index=0, covered_at=7, in_time=False, cause="query"),
            ItemDiagnosis(need_id="how", index=0, covered_at=3, in_time=True),
            ItemDiagnosis(
                need_id="how",
                index=1,
                covered_at=None,
                in_time=False,
                cause="cut_off",
                cut_off_depth=8,
            ),
            ItemDiagnosis(need_id="how", index=2, covered_at=None, in_time=False, cause="query"),
        ),
        calls=(
            _call(1, CallClass.USEFUL, "late fee grounds", 2, 800, 0.25),
            _call(2, CallClass.MISSED, "playbook", 3, 800, 0.25, stale=True),
            _call(3, CallClass.REDUNDANT, "Playbook!", 4, 800, 0.25),
        ),
    )
    plain = _trial("due_date", 1.0, "no_retrieval_needed", components={"DB": 1.0})
    lucky = _trial(
        "guess",
        1.0,
        "missed_retrieval",
        beats=True,
        lucky=True,
        sufficient_context=False,
        evidence_recall=0.0,
        under_retrieval=1.0,
        under_search_rate=1.0,
        n_consumers_attempted=1,
        n_consumers_uninformed=1,
        needs=(
            NeedDiagnosis(
                need_id="fee", deadline=1, status=NeedStatus.UNMET, consumers_correct=True
            ),
        ),
        items=(
            ItemDiagnosis(
                need_id="fee", index=0, covered_at=None, in_time=False, cause="not_searched"
            ),
        ),
    )
    unneeded = _trial(
        "one_more_day",
        1.0,
        "unneeded_retrieval",
        n_calls=2,
        n_unneeded=2,
        over_retrieval=1.0,
        excess_share=1.0,
        misses_per_call=0.0,
        over_search_rate=1.0,
        avoidable_tokens=1600,
        retrieved_tokens=1600,
        excess_tokens=1600,
        calls=(
            _call(1, CallClass.UNNEEDED, "closed days", 2, 800, None),
            _call(2, CallClass.UNNEEDED, "opening hours", 3, 800, None),
        ),
    )
    lost = _trial(
        "zz_lost",
        None,
        None,
        Termination.INFRASTRUCTURE_ERROR,
        reason="the simulation failed for infrastructure",
        attribution="infrastructure",
        sufficient_context=False,
        evidence_recall=0.0,
        under_retrieval=1.0,
        needs=(
            NeedDiagnosis(
                need_id="fee", deadline=1, status=NeedStatus.UNMET, consumers_correct=False
            ),
        ),
        items=(
            ItemDiagnosis(
                need_id="fee", index=0, covered_at=None, in_time=False, cause="not_searched"
            ),
        ),
    )
    return (plain, efficient, lucky, unneeded, partial, lost)


@pytest.fixture
def resolved():
    """The resolved configuration of the hand-made run."""
    return {
        "identity": {
            "ragbench": "0.1.0",
            "domain": "library",
            "domain_sha256": "0123456789abcdef" * 4,
            "setup": "dense",
            "index_id": "a1b2c3d4",
            "chunker": "recursive(size_tokens=256)",
            "embedder": "minilm",
            "k": 5,
            "agent": "mine",
            "user": "scripted",
            "task_ids": [
                "due_date",
                "extend_loan",
                "guess",
                "one_more_day",
                "waive_fault",
                "zz_lost",
            ],
            "num_trials": 1,
            "seed": 7,
        }
    }


@pytest.fixture
def summary(scores):
    """``summary.json`` of the hand-made run."""
    ids = [score.task_id for score in scores]
    return summarise(
        scores,
        n_expected=6,
        num_trials=1,
        deterministic=False,
        prompt_tokens={},
        references={
            "no_knowledge": dict.fromkeys(ids, 0.0) | {"due_date": 1.0, "one_more_day": 1.0},
            "dense": dict.fromkeys(ids, 1.0) | {"guess": 0.0, "zz_lost": 0.0},
            "golden_retrieval": dict.fromkeys(ids, 1.0),
        },
    )
