"""Fields, vocabulary and padding of the tagged sentences."""

from pathlib import Path
from typing import List

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader

PLURAL = MorphTag.parse("NOUN;Number=Plur")
TAGGED = Sentence((Token("evler", "ev", PLURAL), Token("x", None, None)))
RAW = Sentence((Token("evler"),))


def test_annotated_and_raw_sentences_have_their_fields() -> None:
    reader = TaggedSentencesReader(tagset="ud")
    instance = reader.text_to_instance(TAGGED, weight=0.5)
    assert set(instance.fields) == {"tokens", "morphology", "weight", "metadata"}
    assert instance["metadata"].metadata is TAGGED
    assert float(instance["weight"].tensor) == 0.5
    assert set(reader.text_to_instance(RAW).fields) == {"tokens", "weight", "metadata"}


def test_the_vocabulary_counts_features_trees_and_tags_and_pads_them() -> None:
    reader = TaggedSentencesReader(tagset="ud")
    instance = reader.text_to_instance(TAGGED)
    vocab = Vocabulary.from_instances([instance])
    assert list(vocab.get_token_to_index_vocabulary("edit_trees"))[2:] == ["(0|>|ler>|3)"]
    assert list(vocab.get_token_to_index_vocabulary("morphology"))[2:] == ["NOUN;Number=Plur"]
    batch = Batch([instance, reader.text_to_instance(TAGGED)])
    batch.index_instances(vocab)
    tensors = batch.as_tensor_dict()
    assert tensors["morphology"].tolist() == [[2, 0]] * 2
    words = tensors["tokens"]["word_features"]
    assert words["mask"].tolist() == [[True, True]] * 2
    known = vocab.get_token_to_index_vocabulary("word_features")
    first = [index for index in words["features"][0, 0].tolist() if index]
    assert first == [known[feature] for feature in instance["tokens"][0].word_features]


@pytest.mark.parametrize(
    ("transducers", "characters", "parts"),
    [
        ([], "", []),
        # What a form is lemmatized from is in lower case, and that it was not is told.
        (["lemmatizer"], "evlr", ["Capital=Initial", "NOUN", "Number=Plur"]),
        (["inflector"], "Eevlr", ["NOUN", "Number=Plur"]),
        (["lemmatizer", "inflector"], "Eevlr", ["Capital=Initial", "NOUN", "Number=Plur"]),
    ],
)
def test_transducers_have_their_characters_and_tag_parts(
    transducers: List[str], characters: str, parts: List[str]
) -> None:
    reader = TaggedSentencesReader(tagset="ud", transducers=transducers)
    sentence = Sentence((Token("Evler", "ev", PLURAL),))
    vocab = Vocabulary.from_instances([reader.text_to_instance(sentence)])
    known = vocab.get_token_to_index_vocabulary("characters")
    assert sorted(each for each in known if len(each) == 1) == sorted(characters)
    known_parts = vocab.get_token_to_index_vocabulary("tag_parts")
    assert sorted(each for each in known_parts if not each.startswith("@")) == parts


def test_other_transducers_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="may have lemmatizer and inflector"):
        TaggedSentencesReader(transducers=["tagger"])


def test_features_unknown_to_the_vocabulary_are_dropped() -> None:
    reader = TaggedSentencesReader(tagset="ud")
    vocab = Vocabulary.from_instances([reader.text_to_instance(RAW)])
    instance = reader.text_to_instance(Sentence((Token("qqq"),)))
    instance.index_fields(vocab)
    (features,) = instance["tokens"]._indexed_tokens["word_features"]["features"]
    assert vocab._oov_token not in features
    assert 0 < len(features) < len(instance["tokens"][0].word_features)


def test_a_sentence_without_words_is_refused() -> None:
    with pytest.raises(DataError, match="no words"):
        TaggedSentencesReader().text_to_instance(Sentence(()))


@pytest.mark.parametrize("num_workers", [0, 1])
def test_it_loads_in_processes(tmp_path: Path, num_workers: int) -> None:
    path = tmp_path / "train.conllu"
    path.write_text("1\tevler\tev\tNOUN\t_\tNumber=Plur\t_\t_\t_\t_\n\n" * 3, encoding="utf-8")
    reader = TaggedSentencesReader(tagset="ud")
    loader = MultiProcessDataLoader(reader, str(path), batch_size=2, num_workers=num_workers)
    instances = list(loader.iter_instances())
    assert [each["metadata"].metadata.tokens[0].tag for each in instances] == [PLURAL] * 3
    loader.index_with(Vocabulary.from_instances(instances))
    assert sum(len(batch["weight"]) for batch in loader) == 3


@pytest.mark.parametrize(
    ("lemma", "upos", "problem"),
    [("_", "NOUN", "no word has a lemma"), ("ko", "_", "no word has a tag")],
)
def test_a_file_without_tags_or_lemmas_is_refused(
    lemma: str, upos: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "train.conllu"
    path.write_text(f"1\tko\t{lemma}\t{upos}" + "\t_" * 6 + "\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=problem) as raised:
        list(TaggedSentencesReader(tagset="ud").read(str(path)))
    assert str(path) in str(raised.value)
    assert "annotate LEMMA, UPOS and FEATS" in str(raised.value)


def test_sentences_without_any_tag_are_left_out_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "train.conllu"
    rows = ["1\tko\tko\tNOUN", "1\tka\tka\t_", "1\tke\tke\tNOUN"]
    path.write_text("".join(row + "\t_" * 6 + "\n\n" for row in rows), encoding="utf-8")
    instances = list(TaggedSentencesReader(tagset="ud").read(str(path)))
    assert [each["metadata"].metadata.forms for each in instances] == [["ko"], ["ke"]]
    # As the trainer does.
    batch = Batch(instances)
    batch.index_instances(Vocabulary.from_instances(instances))
    assert batch.as_tensor_dict()["morphology"].shape == (2, 1)
    assert "1 of 3 words have no tag, the first is 'ka' in sentence 2. " in caplog.text


def test_words_that_lack_a_lemma_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "train.conllu"
    words = [("1\tko\tko", "NOUN"), ("2\tka\t_", "NOUN"), ("3\tke\t_", "NOUN")]
    text = "".join(f"{start}\t{upos}" + "\t_" * 6 + "\n" for start, upos in words)
    whole = "1\tki\tki\tNOUN" + "\t_" * 6 + "\n\n"
    path.write_text(f"{whole}{text}\n", encoding="utf-8")
    assert len(list(TaggedSentencesReader(tagset="ud").read(str(path)))) == 2
    (message,) = [
        record.getMessage() for record in caplog.records if "no lemma" in record.msg % record.args
    ]
    assert "2 of 4 words have no lemma, the first is 'ka' in sentence 2. " in message
