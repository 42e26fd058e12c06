"""What raw text tells of words, from the configs through the trainer into the archive."""

from pathlib import Path
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import load_archive
from allennlp.nn import Initializer

from allennlp_svae.data.neighbor_vectors import neighbor_vectors
from allennlp_svae.data.raw_text import RawText
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.data.word_features import ENDING_LENGTHS, fold
from allennlp_svae.training.vocabulary import TreebankVocabulary
from tests.small_runs import analyzed, train_tagger


def raw_text(treebank: Path) -> List[Tuple[str, ...]]:
    path = f"{treebank}/train#unlabeled"
    return [sentence.forms for sentence in read_sentences(path, "ud", labeled_tokens=120)]


def check_tables(part: Any, sentences: List[Tuple[str, ...]], dim: int) -> None:
    """Every row is what the raw text says, of a word that is not in it zero."""
    text = RawText(sentences)
    ids = [part.vocab.get_token_index(word, "words") for word in text.words]
    counts = part.word_scorer.statistics.counts
    assert torch.equal(counts[ids], torch.from_numpy(text.counts))
    table = part.word_scorer.vectors.table
    assert np.allclose(table[ids].numpy(), neighbor_vectors(text, dim), atol=1e-6)
    others = sorted(set(range(len(table))) - set(ids))
    assert len(others) > 2  # padding, unknown, and labelled words that are nowhere else
    assert not counts[others].any()
    assert not table[others].any()
    table = part.word_scorer.ending_vectors.table
    for place, length in enumerate(ENDING_LENGTHS):
        # The same text, each word cut down by hand.
        cut = RawText(
            [[f"{length} {fold(form)[-length:]}" for form in forms] for forms in sentences]
        )
        ids = [part.vocab.get_token_index(ending, "endings") for ending in cut.words]
        assert cut.words == text.of_endings(place).words
        assert np.allclose(table[ids].numpy(), neighbor_vectors(cut, 50), atol=1e-6)


def test_the_tagger_lemmatizers_archive_holds_them(
    allennlp: Callable[..., None], tmp_path: Path, treebank: Path
) -> None:
    archive = train_tagger(allennlp, tmp_path, treebank, word_vector_dim=7)
    model = load_archive(archive).model
    check_tables(model, raw_text(treebank), 7)
    assert model.word_scorer.dense.weight.any()
    first_statistic = model.vocab.get_vocab_size("word_features")
    assert model.word_scorer.sparse.weight[first_statistic:].any()
    first_statistic = model.vocab.get_vocab_size("lemma_features")
    assert model.lemma_scorer.linear.weight[first_statistic:].any()


def test_the_svaes_archive_holds_them(svae_run: Path, treebank: Path) -> None:
    model = load_archive(svae_run / "model.tar.gz").model
    check_tables(model.tagger_lemmatizer.tagger, raw_text(treebank), 50)


def test_vectors_of_a_file_are_in_the_archive(
    allennlp: Callable[..., None], tmp_path: Path, treebank: Path
) -> None:
    file = tmp_path / "words.vec"
    words = RawText(raw_text(treebank)).words
    generator = np.random.default_rng(0)
    lines = [" ".join(map(str, [word, *generator.normal(size=5).round(3)])) for word in words]
    file.write_text("\n".join([f"{len(lines)} 5", *lines]), encoding="utf-8")
    fields = {"word_vectors": str(file), "word_vector_dim": 5}
    archive = train_tagger(allennlp, tmp_path, treebank, **fields)
    source = treebank / "demo_tiny-ud-dev.conllu"
    before = analyzed(allennlp, archive, source, tmp_path / "before.conllu")
    file.unlink()
    model = load_archive(archive).model
    ids = [model.vocab.get_token_index(word, "words") for word in words]
    assert torch.allclose(model.word_scorer.vectors.table[ids].norm(dim=-1), torch.ones(len(ids)))
    assert analyzed(allennlp, archive, source, tmp_path / "after.conllu") == before


def test_each_can_be_left_out(
    allennlp: Callable[..., None], tmp_path: Path, treebank: Path
) -> None:
    fields = {"word_vectors": None, "word_statistics": False, "ending_vectors": False}
    model = load_archive(train_tagger(allennlp, tmp_path, treebank, **fields)).model
    assert model.word_scorer.vectors is None
    assert model.word_scorer.ending_vectors is None
    assert model.word_scorer.statistics is None


def test_words_that_the_vocabulary_leaves_out_are_no_others() -> None:
    vocab = TreebankVocabulary()
    vocab.add_token_to_namespace("ev", "words")
    vocab.raw_text = RawText([["ev", "yok", "yok"]])
    counts = torch.ones(3, 3, dtype=torch.long)
    Initializer.by_name("word_counts")(vocab=vocab)(counts)
    assert counts.sum(dim=1).tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ["word_counts", "neighbor_vectors", "ending_vectors"])
def test_a_vocabulary_without_text_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="treebank_vocabulary"):
        Initializer.by_name(name)(vocab=Vocabulary())
