import itertools

import pytest
import torch

from allennlp_svae.data.sentence import Token
from allennlp_svae.modules.lemma_candidates import LemmaCandidates
from tests.models.crf_toy import VOCAB

CPU = torch.device("cpu")
# Twice the same word, one whose lemma no tree gives, and the same form without.
WORDS = [
    Token("evler", "ev"),
    Token("gelir", "gel"),
    Token("evler", "ev"),
    Token("evler", "house"),
    Token("evler"),
]


@pytest.fixture
def candidates() -> LemmaCandidates:
    return LemmaCandidates(VOCAB, 8)


def test_forms_have_their_candidates_once(candidates: LemmaCandidates) -> None:
    batch, forms = candidates.of_words(WORDS, False, CPU)
    assert forms == [0, 1, 0, 0, 0]
    assert batch.lemmas == [candidates.of(form).lemmas for form in ("evler", "gelir")]
    assert "ev" in batch.lemmas[0]


def test_an_annotated_lemma_that_no_tree_gives_is_added_for_its_word_alone(
    candidates: LemmaCandidates,
) -> None:
    batch, forms = candidates.of_words(WORDS, True, CPU)
    assert forms == [0, 1, 0, 2, 0]
    assert batch.lemmas[2] == (*batch.lemmas[0], "house")


def test_features_lie_candidate_after_candidate(candidates: LemmaCandidates) -> None:
    batch, _ = candidates.of_words(WORDS, True, CPU)
    found = [
        candidates.of("evler"),
        candidates.of("gelir"),
        candidates.with_lemma("evler", "house"),
    ]
    expected = [
        bag.tolist()
        for each in found
        for bag in torch.from_numpy(each.features).split(list(each.sizes))
    ]
    bounds = [*batch.offsets.tolist(), len(batch.features)]
    bags = [batch.features[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]
    assert bags == expected
    assert batch.counts.tolist() == [len(each.lemmas) for each in found]
    assert batch.starts.tolist() == [batch.form_of.tolist().index(form) for form in range(3)]
