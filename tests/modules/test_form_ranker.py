import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_svae.data.word_model import WordModel
from allennlp_svae.modules.form_ranker import FormRanker

WORDS = ["evler", "eller", "diller", "Kollar", "atlar"]


def vocabulary_of(words: list) -> Vocabulary:
    vocab = Vocabulary()
    vocab.add_tokens_to_namespace(words, "attested_forms")
    return vocab


def test_order_is_by_the_formula_and_scores_stay() -> None:
    ranker = FormRanker.from_params(Params({"weight": 4.0}), vocab=vocabulary_of(WORDS))
    found = [
        [("güllar", -0.5), ("güller", -0.6), ("gül", -3.0)],
        [],
        [("dallar", -0.1), ("daller", -2.5)],
    ]
    words = WordModel(WORDS)

    def score(form: str, log_prob: float) -> float:
        return log_prob + 4.0 * words.log_probs([form])[0] / (len(form) + 1)

    expected = [[score(*pair) for pair in one] for one in found]
    assert ranker.preferences(found) == [pytest.approx(one) for one in expected]
    ranked = ranker(found)
    assert ranked == [sorted(one, key=lambda pair: -score(*pair)) for one in found]
    assert ranked[0][0] == ("güller", -0.6)


def test_capitals_of_the_text_are_preferred_by_their_weight() -> None:
    vocab = vocabulary_of(WORDS)
    vocab.add_tokens_to_namespace(["istanbullar"], "capitalized_words")
    found = [[("istanbullar", -0.5), ("İstanbullar", -2.5), ("Atlar", -3.0)]]
    without, preferred = (
        FormRanker(vocab, weight=4.0, capital_weight=weight).preferences(found)[0]
        for weight in (0.0, 3.0)
    )
    gains = [after - before for before, after in zip(without, preferred, strict=True)]
    assert gains == pytest.approx([0.0, 3.0, 0.0])


def test_what_was_asked_before_changes_nothing() -> None:
    ranker = FormRanker(vocabulary_of(WORDS), weight=4.0)
    batches = [
        [[("evlar", -0.5), ("Evlar", -0.7), ("evler", -1.0)], [("eller", -0.1)]],
        [[("evler", -1.0)]],  # known
        [[("evler", -1.0), ("diller", -0.2)]],  # known in part
        [[("KOLLAR", -0.3)]],
    ]
    for found in batches:
        anew = FormRanker(vocabulary_of(WORDS), weight=4.0)
        assert ranker.preferences(found) == anew.preferences(found)


def test_without_weight_the_order_is_that_of_the_scores() -> None:
    ranker = FormRanker(vocabulary_of(WORDS), weight=0.0)
    assert ranker([[("x", -2.0), ("y", -1.0)]]) == [[("y", -1.0), ("x", -2.0)]]


def test_a_vocabulary_without_raw_text() -> None:
    with pytest.raises(ConfigurationError, match="unlabeled"):
        FormRanker(vocabulary_of([]), weight=4.0)
