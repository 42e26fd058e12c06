import os
import tracemalloc
from collections import Counter

import pytest

from allennlp_svae.data.conllu_format import read_blocks, to_sentence
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token, triples_of
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from tests.data.locations import TINY, TREEBANKS, needs_treebanks

TURKISH = str(TINY / "turkish.conllu")


@pytest.fixture(name="treebank")
def make_treebank(tmp_path):
    """A treebank's folder; each of its twelve sentences has two words and is annotated."""
    folder = tmp_path / "UD_Nonsuch"
    folder.mkdir()
    sentences = [
        f"1\tw{i}\tl{i}\tNOUN\t_\tCase=Acc\t0\troot\t_\t_\n2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
        for i in range(12)
    ]
    (folder / "xx_nonsuch-ud-train.conllu").write_text("".join(sentences))
    (folder / "dev.conllu").write_text("".join(sentences[:2]))
    return folder


def numbers(sentences):
    return [int(sentence.forms[0][1:]) for sentence in sentences]


def read(*arguments, **options):
    return list(read_sentences(*arguments, **options))


# Paths


def test_a_split_has_its_plain_or_its_official_name(treebank):
    assert len(read(f"{treebank}/train")) == 12
    assert len(read(f"{treebank}/dev")) == 2
    assert read(f"{treebank}/train") == read(f"{treebank}/xx_nonsuch-ud-train.conllu")


def test_a_plain_name_comes_first(treebank):
    (treebank / "train.conllu").write_bytes((treebank / "dev.conllu").read_bytes())
    assert len(read(f"{treebank}/train")) == 2


def test_a_folder_can_have_any_name(treebank, monkeypatch):
    odd = treebank.with_name("odd [a-z]#labeled")
    os.rename(treebank, odd)
    assert len(read(f"{odd}/train")) == 12
    assert len(read(f"{odd}/train#labeled", labeled_tokens=2)) == 1
    monkeypatch.chdir(odd)
    assert len(read("train")) == 12


def test_a_file_whose_name_ends_like_a_portion_is_a_file(tmp_path):
    path = tmp_path / "words.txt#labeled"
    os.symlink(TINY / "raw.txt", path)
    with pytest.raises(DataError, match="suffix"):
        read_sentences(str(path), labeled_tokens=1)
    path = tmp_path / "a#labeled.txt"
    os.symlink(TINY / "raw.txt", path)
    assert len(read(str(path))) == 5


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (
            "UD_Nonsuch/test",
            "no split 'test'; in the folder: dev.conllu, xx_nonsuch-ud-train.conllu",
        ),
        ("UD_Nonsuch/train.conllu", "no such file"),
        ("UD_Nonsuch", "is a folder"),
        ("UD_None/train", "no such file or folder"),
        ("UD_Nonsuch/train#labelled", "no portion 'labelled'"),
        ("UD_Nonsuch/notes.md", "suffix '.md'"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error_at_once(treebank, path, problem):
    if path.endswith(".md"):
        (treebank / "notes.md").touch()
    with pytest.raises(DataError, match=problem) as caught:
        read_sentences(str(treebank.parent / path), labeled_tokens=2)
    assert caught.value.remedy


def test_two_files_for_a_split_are_an_error(treebank):
    (treebank / "xx_other-ud-train.conllu").touch()
    with pytest.raises(DataError, match=r"2 files match .* xx_other-ud-train\.conllu"):
        read_sentences(f"{treebank}/train")


def test_an_unknown_tagset_is_an_error_at_once():
    with pytest.raises(DataError, match="papier"):
        read_sentences(TURKISH, "papier")


# Formats


def test_reads_conllu_in_any_tagset():
    for name in ("paper", "lossless", "ud"):
        assert read(TURKISH, name) == [to_sentence(block, name) for block in read_blocks(TURKISH)]


def test_reads_tables_and_text():
    table = read(str(TINY / "inflections.tsv"))
    assert table[0] == Sentence((Token("wept", "weep", MorphTag.parse("V;PST")),))
    assert read(str(TINY / "raw.txt"))[1] == Sentence(
        (Token("Девочка"), Token("пишет"), Token("письмо"), Token("."))
    )


# Portions


@pytest.mark.parametrize(
    ("labeled_tokens", "held_out", "labeled", "unlabeled", "development"),
    [
        (4, 0.0, [0, 1], range(2, 12), None),
        (5, 0.0, [0, 1, 2], range(3, 12), None),
        (1, 0.1, [0], range(1, 11), [11]),
        (6, 0.25, [0, 1, 2], range(3, 9), [9, 10, 11]),
        (0, 0.01, [], range(11), [11]),
        (18, 0.25, range(9), [], [9, 10, 11]),
        (None, 0.25, range(9), [], [9, 10, 11]),
        (None, 0.0, range(12), [], None),
        (24, 0.0, range(12), [], None),
    ],
)
def test_portions(treebank, labeled_tokens, held_out, labeled, unlabeled, development):
    def portion(name):
        return read(f"{treebank}/train#{name}", "ud", labeled_tokens, held_out)

    everything = read(f"{treebank}/train", "ud", labeled_tokens, held_out)
    assert numbers(everything) == list(range(12))
    assert portion("labeled") == [everything[i] for i in labeled]
    assert portion("unlabeled") == [everything[i].without_annotation() for i in unlabeled]
    if development is not None:
        assert portion("held_out") == [everything[i] for i in development]
    assert portion("raw") == [sentence.without_annotation() for sentence in everything]


@pytest.mark.parametrize("portion", ["labeled", "unlabeled", "held_out"])
def test_overlapping_portions_are_an_error(treebank, portion):
    with pytest.raises(DataError, match="reach into the held-out sentences"):
        read_sentences(f"{treebank}/train#{portion}", "ud", labeled_tokens=19, held_out=0.25)


def test_a_file_with_too_few_tokens_is_labelled_as_a_whole(treebank, caplog):
    with caplog.at_level("WARNING"):
        assert len(read(f"{treebank}/train#labeled", labeled_tokens=25)) == 12
    assert "24 tokens, not 25" in caplog.text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "No part"),
        ({"held_out": 1.0}, "held_out is 1.0"),
        ({"held_out": -0.1}, "held_out is -0.1"),
        ({"held_out": 0.1, "labeled_tokens": -1}, "labeled_tokens is -1"),
    ],
)
def test_impossible_portions_are_an_error(treebank, options, problem):
    with pytest.raises(DataError, match=problem):
        read_sentences(f"{treebank}/train#held_out", **options)


def nonsense(line):
    columns = line.split("\t")
    if len(columns) < 10:
        return line
    return "\t".join([*columns[:2], "?", "NO;UN", "?", "Case|;=|Case", "?", "?", "?", "?"])


@pytest.mark.parametrize("portion", ["labeled", "unlabeled", "held_out"])
def test_annotation_of_the_unlabelled_sentences_is_not_read(treebank, portion):
    path = treebank / "xx_nonsuch-ud-train.conllu"
    arguments = (f"{treebank}/train#{portion}", "paper", 6, 0.25)
    before = read(*arguments)
    sentences = path.read_text().split("\n\n")
    sentences[3:9] = ["\n".join(map(nonsense, each.split("\n"))) for each in sentences[3:9]]
    path.write_text("\n\n".join(sentences))
    with pytest.raises(DataError):
        read(f"{treebank}/train")
    assert read(*arguments) == before


def test_annotation_of_unlabelled_tables_is_not_read(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("go\twent\tV;PST\n?\tgoing\t;;\n")
    assert read(f"{path}#unlabeled", labeled_tokens=1) == [Sentence((Token("going"),))]


@pytest.mark.parametrize("portion", ["", "#raw", "#unlabeled", "#held_out"])
def test_memory_does_not_grow_with_the_file(tmp_path, portion):
    path = tmp_path / "long.conllu"
    line = "1\tword\tword\tNOUN\t_\tCase=Acc\t0\troot\t_\t_\n\n"
    path.write_text(line * 4_000)
    tracemalloc.start()
    count = sum(1 for _ in read_sentences(f"{path}{portion}", "ud", 10, 0.5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count >= 1_990
    # Holding as many sentences takes 600 kB or more, reading them one at a time 100 kB.
    assert peak < 300_000


# The treebanks of the paper's protocol: figures of ../shared/ud/README.md. The number of labelled
# types is given there for exactly N tokens, the percentages for N tokens finishing the sentence or
# not; lemmas that are missing count there as the lemma "_" (17 test triples of Turkish).

MISSING = "_"


def triples(path, labeled_tokens=None, finish=True):
    portion = "" if labeled_tokens is None else "#labeled"
    sentences = read_sentences(f"{TREEBANKS}/{path}{portion}", "paper", labeled_tokens)
    tokens = [token for sentence in sentences for token in sentence.tokens]
    kept = tokens if finish else tokens[:labeled_tokens]
    return Counter(
        triples_of([Sentence(tuple(t._replace(lemma=t.lemma or MISSING) for t in kept))])
    )


@needs_treebanks
@pytest.mark.parametrize(
    ("language", "test_triples", "copied", "types", "unseen_tags", "unseen_lemmas"),
    [
        ("et", 5372, 25.2, (338, 594), (14.8, 10.8), (85.9, 79.7)),
        ("hu", 4826, 44.1, (314, 561), (41.3, 37.5), (91.1, 86.1)),
        ("la", 5665, 3.2, (384, 723), (22.2, 12.1), (91.4, 87.6)),
        ("lv", 4279, 26.4, (310, 584), (24.8, 13.2), (90.4, 84.3)),
        ("tr", 5092, 25.0, (386, 725), (25.2, 18.0), (73.6, 62.5)),
    ],
)
def test_the_papers_protocol(language, test_triples, copied, types, unseen_tags, unseen_lemmas):
    test = triples(f"{language}/test")
    assert len(test) == test_triples
    percent = 100 / len(test)
    assert round(percent * sum(t.form == t.lemma for t in test), 1) == copied
    for tokens, *expected in zip((500, 1000), types, unseen_tags, unseen_lemmas, strict=True):
        labeled = triples(f"{language}/train", tokens, finish=False)
        tags = {triple.tag for triple in labeled}
        lemmas = {triple.lemma for triple in labeled}
        assert [
            len(labeled),
            round(percent * sum(triple.tag not in tags for triple in test), 1),
            round(percent * sum(triple.lemma not in lemmas for triple in test), 1),
        ] == expected
        assert triples(f"{language}/train", tokens).keys() >= labeled.keys()


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("words.tsv.gz", "unpack the file and give it a name that ends in one of .conllu"),
        ("words.doc", "Remedy: give it a name that ends in one of .conllu"),
        ("words.jsonl", "give them to `allennlp predict`, without --use-dataset-reader"),
    ],
)
def test_other_formats_are_refused_with_what_to_do(tmp_path, name, remedy):
    path = tmp_path / name
    path.touch()
    with pytest.raises(DataError, match=rf"{name}: .*{remedy}"):
        list(read_sentences(str(path)))
