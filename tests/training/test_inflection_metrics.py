import json

import pytest
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.training.inflection_metrics import InflectionMetric, levenshtein


def by_recursion(first: str, second: str) -> int:
    if not first or not second:
        return len(first) + len(second)
    return min(
        by_recursion(first[1:], second[1:]) + (first[0] != second[0]),
        by_recursion(first[1:], second) + 1,
        by_recursion(first, second[1:]) + 1,
    )


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_levenshtein_is_the_recursive_definition(first: str, second: str) -> None:
    assert levenshtein(first, second) == by_recursion(first, second)


def make_metric() -> InflectionMetric:
    return InflectionMetric(
        Vocabulary(counter={"morphology": {"N;SG": 1}, "lemmas": {"ko": 1, "sali": 1}})
    )


def inflection(form: str, lemma: str, tag: str) -> dict:
    return {"form": form, "lemma": lemma, "tag": tag}


def test_means() -> None:
    metric = make_metric()
    metric(["ko", "Kon"], [inflection("ko", "ko", "N;SG"), inflection("kon", "ko", "N;PL")])
    metric(["salit"], [inflection("tuli", "tuli", "N;SG")])
    found = metric.get_metric(reset=True)
    assert found == pytest.approx(
        {
            "inflection_accuracy": 1 / 3,
            "inflection_accuracy_caseless": 2 / 3,
            "edit_distance": (0 + 1 + levenshtein("salit", "tuli")) / 3,
            "accuracy_seen_tag": 1 / 2,
            "accuracy_unseen_tag": 0.0,
            "accuracy_seen_lemma": 1 / 2,
            "accuracy_unseen_lemma": 0.0,
        }
    )
    assert all(type(value) is float for value in found.values())
    json.dumps(found)
    assert metric.get_metric() == {}


def test_case_is_that_of_turkish_too() -> None:
    metric = make_metric()
    metric(["istanbul"], [inflection("İstanbul", "istanbul", "N;SG")])
    assert metric.get_metric()["inflection_accuracy_caseless"] == 1.0


def test_means_over_nothing_are_left_out() -> None:
    metric = make_metric()
    metric(["ko"], [inflection("ko", "ko", "N;SG")])
    assert "accuracy_unseen_tag" not in metric.get_metric()
    assert "accuracy_unseen_lemma" not in metric.get_metric()


def test_unknown_forms_are_not_counted() -> None:
    metric = make_metric()
    metric(["ko"], [{"form": None, "lemma": "ko", "tag": "N;SG"}])
    assert metric.get_metric() == {}


def test_top_five_counts_where_candidates_are_given() -> None:
    metric = make_metric()
    asked = [inflection("kon", "ko", "N;PL"), inflection("kot", "ko", "N;PL")]
    metric(["ko", "ko"], asked, candidates=[["ko", "kon"], ["ko", "koo"]])
    assert metric.get_metric(reset=True)["inflection_accuracy_top5"] == 0.5
    metric(["kon"], asked[:1])
    assert "inflection_accuracy_top5" not in metric.get_metric()


def test_calibration_error_is_the_mean_distance_of_confidence_and_accuracy() -> None:
    metric = make_metric()
    # Two at .9 of which one is right, one at .3 that is right, and one whose form nobody knows. One is surer than it is
    # right and one less sure, which does not make up for it.
    asked = [inflection(form, "ko", "N;SG") for form in ("a", "b", "c")]
    asked.append({"form": None, "lemma": "ko", "tag": "N;SG"})
    found = [[("a", -0.1)], [("x", -0.1)], [("c", -1.0)], [("x", -1.0)]]
    confidences = [[0.9], [0.91], [0.3], [0.5]]
    metric.of_search(found, 5, asked, lambda _: confidences)
    expected = (abs(0.9 + 0.91 - 1) + abs(0.3 - 1)) / 3
    assert metric.get_metric(reset=True)["calibration_error"] == pytest.approx(expected)
    metric.of_search(found, 1, asked, lambda _: confidences)
    assert "calibration_error" not in metric.get_metric(reset=True)
