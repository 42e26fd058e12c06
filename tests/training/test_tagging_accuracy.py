"""Accuracies of tags, parts of speech, lemmas and pairs."""

from allennlp_svae.data.sentence import Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.training.tagging_accuracy import TaggingAccuracy

N_SG, N_PL = MorphTag.parse("N;SG"), MorphTag.parse("N;PL")


def test_each_accuracy_counts_the_tokens_annotated_with_it() -> None:
    metric = TaggingAccuracy()
    gold = [Token("a", "a", N_SG), Token("b", "b", N_PL), Token("c", "c"), Token("d", None, N_SG)]
    guess = [
        Token("a", "a", N_SG),
        Token("b", "b", N_SG),
        Token("c", "x", N_SG),
        Token("d", "d", N_SG),
    ]
    metric([guess], [gold])
    assert metric.get_metric(reset=True) == {
        "tag_accuracy": 2 / 3,
        "pos_accuracy": 1.0,
        "lemma_accuracy": 2 / 3,
        "joint_accuracy": 1 / 2,
    }
    assert set(metric.get_metric().values()) == {0.0}
