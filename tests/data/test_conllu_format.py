import io
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.conllu_format import (
    annotate,
    format_sentence,
    read_blocks,
    to_raw_sentence,
    to_sentence,
    write_sentences,
)
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tagsets import tagset
from allennlp_svae.data.treebank import read_sentences
from tests.data.locations import TINY, TREEBANKS, needs_treebanks

QUIRKS = str(TINY / "quirks.conllu")
FILES = [QUIRKS, str(TINY / "scripts.conllu"), str(TINY / "turkish.conllu")]
TAGSETS = ["paper", "lossless", "ud"]


def quirk(sent_id, tags="ud"):
    return to_sentence(quirk_block(sent_id), tags)


def quirk_block(sent_id):
    return {block.metadata["sent_id"]: block for block in read_blocks(QUIRKS)}[sent_id]


def tag(text):
    return MorphTag.parse(text)


# Quirks of treebanks, one by one


def test_a_missing_lemma_or_part_of_speech_stays_missing():
    la, other_la = quirk("missing-lemma").tokens[2:4]
    assert la == Token("la", None, tag("X"))
    assert other_la == Token("la", None, None)


def test_a_form_can_be_an_underscore():
    assert quirk("underscore-form").tokens[1:] == (
        Token("_", "lira", tag("NOUN;Case=Nom;Number=Sing;Person=3")),
        Token("_", "_", tag("PUNCT")),
    )


def test_an_underscore_without_annotation_has_no_lemma(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\t_" + "\t_" * 8 + "\n\n")
    assert list(read_sentences(str(path))) == [Sentence((Token("_"),))]


def test_forms_and_lemmas_can_hold_spaces():
    assert quirk("space-in-form").tokens[2] == Token("10 000", "10 000", tag("NUM;NumType=Card"))


def test_two_spaces_do_not_end_a_column(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\t10  000\t10  000\tNUM" + "\t_" * 6 + "\n\n")
    assert list(read_sentences(str(path))) == [Sentence((Token("10  000", "10  000", tag("NUM")),))]


def test_features_can_have_several_values():
    assert quirk("many-values", "paper").tokens[0].tag == tag("PRO;{ACC/DAT};1;SG")
    assert "Case=Acc,Dat" in quirk("many-values").tokens[0].tag.features
    assert "{FH/NFH}" in quirk("space-in-form", "paper").tokens[1].tag.features


def test_features_can_be_layered():
    assert "PSS3P" in quirk("missing-lemma", "paper").tokens[1].tag.features
    verb = quirk("arguments-of-the-verb", "paper").tokens[1]
    assert verb.tag == tag("V;IND;ARGAB3P;ARGDA3S;ARGER1S")


def test_values_can_be_of_no_standard():
    _, futo, _, latom = quirk("odd-values").tokens
    assert "VerbForm=PartPres" in futo.tag.features
    assert "Definite=2" in latom.tag.features
    _, futo, _, latom = quirk("odd-values", "paper").tokens
    assert futo.tag == tag("ADJ;NOM;PSSD;SG")
    assert latom.tag == tag("V;1;ACT;FIN;IND;PRS;SG")
    assert quirk("many-values", "paper").tokens[3].tag == tag("PRO;SG")


def test_features_without_counterpart_are_dropped_or_kept():
    hebrew = quirk("multiword", "paper").tokens[2]
    assert hebrew.tag == tag("N;FEM;SG")
    hebrew = quirk("multiword", "lossless").tokens[2]
    assert hebrew.tag == tag("N;FEM;SG;LGSPEC:HebSource=ConvUncertainHead")
    assert quirk("abbreviation", "paper").tokens[0].tag == tag("N;NOM;SG")
    assert "LGSPEC:Abbr=Yes" in quirk("abbreviation", "lossless").tokens[0].tag.features


def test_lemmas_are_taken_as_they_are():
    assert [token.lemma for token in quirk("homographs").tokens] == [
        "nauta",
        "stella",
        "cum1",
        "servus2",
        "video1",
        "punc1",
    ]
    assert quirk("compound-lemma").tokens[0].lemma == "raamatu_kogu"


def test_multiword_ranges_and_empty_nodes_are_no_words():
    assert quirk("multiword").forms == ["ל", "ה_", "ילדה", "ספר"]
    assert "joit" not in quirk("empty-node").forms
    assert len(quirk("empty-node")) == 6


def test_letters_are_kept_as_they_are():
    forms = {token.form for each in read_sentences(FILES[1]) for token in each.tokens}
    assert {"IŞIK", "ısıtır", "İzmir'i", "a\u0328\u0301", "n\u0303andu\u0301", "𐌰𐍄𐍄𐌰"} < forms
    vocalised = next(t for s in read_sentences(FILES[1]) for t in s.tokens if t.form == "الولد")
    assert vocalised.lemma == "وَلَد"


# Reading


@pytest.mark.parametrize("path", FILES)
def test_a_block_is_the_text_that_was_read(path):
    with open(path, encoding="utf-8", newline="") as file:
        assert "".join(block.serialize() for block in read_blocks(path)) == file.read()


def test_raw_sentences_are_the_forms():
    for block in read_blocks(QUIRKS):
        assert to_raw_sentence(block) == to_sentence(block).without_annotation()


def test_lines_and_comments_are_known():
    block = quirk_block("multiword")
    with open(QUIRKS, encoding="utf-8") as file:
        text = file.read().split("\n")
    assert [text[line - 1].split("\t")[1] for line in block.lines] == [row["form"] for row in block]
    assert block.metadata["text"] == "לילדה ספר"


def test_windows_files_and_a_missing_last_blank_line_are_read(tmp_path):
    path = tmp_path / "a.conllu"
    with open(FILES[2], "rb") as file:
        content = file.read().rstrip(b"\n")
    path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert list(read_sentences(str(path))) == list(read_sentences(FILES[2]))


def test_is_lazy(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tone" + "\t_" * 8 + "\n\nnonsense\n")
    assert next(read_sentences(str(path))).forms == ["one"]


GOOD = "1\ta\ta\tNOUN\t_\tCase=Acc\t0\troot\t_\t_"
NEXT = GOOD.replace("1", "2", 1)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("2\tb\tb\tNOUN", "4 tab-separated columns"),
        (NEXT + "\t_", "11 tab-separated columns"),
        ("1 a a NOUN _ _ 0 root _ _", "1 tab-separated columns"),
        (NEXT.replace("2", "one"), "'one' is not a valid ID"),
        (NEXT.replace("2", "_"), "'_' is not a valid ID"),
        (NEXT.replace("2", "4-3"), "'4-3' is not a valid ID"),
        (NEXT.replace("\ta\ta", "\t\ta"), "form is empty"),
        (NEXT.replace("Case=Acc", "Case"), "not of the form"),
        (NEXT.replace("Case=Acc", "Case="), "not of the form"),
        (NEXT.replace("Case=Acc", "=Acc"), "not of the form"),
        (NEXT.replace("Case=Acc", "Case=Acc|"), "not of the form"),
        (NEXT.replace("Case=Acc", "Case=Acc;Nom"), "semicolon"),
        (NEXT.replace("Case=Acc", "Case=Acc |Number=Sing"), "space"),
        (NEXT.replace("Case=Acc", "Case=Acc|Case=Nom"), "two values"),
        (NEXT.replace("NOUN", "NOUN;VERB"), "semicolon"),
        ("# text = a comment too late", "comment"),
        (GOOD, "comes after 1 words"),
        (NEXT.replace("2", "3", 1), "comes after 1 words"),
        (NEXT.replace("2", "0.1", 1), "comes after 1 words"),
        (NEXT.replace("2", "3-4", 1), "comes after 1 words"),
        (NEXT.replace("2", "2-3", 1), "goes beyond the sentence's 1 words"),
    ],
)
def test_a_malformed_line_is_an_error_with_its_number(tmp_path, line, problem):
    path = tmp_path / "a.conllu"
    path.write_text(f"# a comment\n{GOOD}\n\n{GOOD}\n{line}\n\n")
    with pytest.raises(DataError, match=problem) as caught:
        list(read_sentences(str(path)))
    assert (caught.value.path, caught.value.line) == (str(path), 5)
    assert caught.value.remedy


def test_an_empty_file_is_an_error(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("\n# only a comment\n\n")
    with pytest.raises(DataError, match="no sentence"):
        list(read_sentences(str(path)))


# Annotating


@pytest.mark.parametrize("name", TAGSETS)
def test_annotating_replaces_three_columns_of_words_only(name):
    blocks = list(read_blocks(QUIRKS))
    for block in blocks:
        before = block.serialize()
        noun = tagset(name).encode("NOUN", {"Case": "Acc"})
        sentence = Sentence(tuple(Token(form, "ℓ", noun) for form in to_sentence(block).forms))
        after = annotate(block, sentence, name)
        assert block.serialize() == before
        assert to_sentence(after, name) == sentence
        for old, new in zip(before.split("\n"), after.serialize().split("\n"), strict=True):
            columns = old.split("\t")
            if columns[0].isdigit():
                columns[2:4], columns[5] = ["ℓ", "NOUN"], "Case=Acc"
            assert new == "\t".join(columns)


@pytest.mark.parametrize("name", ["lossless", "ud"])
@pytest.mark.parametrize("path", FILES)
def test_annotating_with_what_was_read_changes_nothing(path, name):
    for block in read_blocks(path):
        if block.metadata["sent_id"] != "missing-lemma":
            assert annotate(block, to_sentence(block, name), name).serialize() == block.serialize()


def test_annotating_without_annotation_clears_the_columns():
    block = quirk_block("space-in-form")
    cleared = annotate(block, to_raw_sentence(block))
    assert to_sentence(cleared) == to_raw_sentence(block)


def test_annotating_merges_misc():
    block = quirk_block("homographs")
    misc = [{}] * 4 + [{"Rebuilt": "vi|de t\\"}, {"SpaceAfter": "Yes"}]
    rows = annotate(block, to_sentence(block), misc=misc)
    assert [row["misc"] for row in rows] == [
        *["_"] * 4,
        "SpaceAfter=No|Rebuilt=vi\\pde\\st\\\\",
        "SpaceAfter=Yes",
    ]


def test_annotating_with_other_words_is_an_error():
    block = quirk_block("homographs")
    with pytest.raises(ValueError, match="6 words"):
        annotate(block, Sentence(to_sentence(block).tokens[1:]))
    with pytest.raises(ValueError, match="6 words"):
        annotate(block, to_sentence(block), misc=[{}])


# Writing


def test_a_sentence_has_ten_columns_and_its_text():
    sentence = Sentence(
        (
            Token("Kitabı", "kitap", tag("N;ACC;SG")),
            Token("10 000", None, tag("NUM")),
            Token("okudu"),
        )
    )
    assert format_sentence(sentence, misc=[{}, {"Best": "10"}, {}], sent_id="7") == (
        "# sent_id = 7\n# text = Kitabı 10 000 okudu\n"
        "1\tKitabı\tkitap\tNOUN\t_\tCase=Acc|Number=Sing\t_\t_\t_\t_\n"
        "2\t10 000\t_\tNUM\t_\t_\t_\t_\t_\tBest=10\n"
        "3\tokudu\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )


@pytest.mark.parametrize("name", TAGSETS)
@pytest.mark.parametrize("path", FILES)
def test_what_is_written_is_read_back(tmp_path, path, name):
    sentences = list(read_sentences(path, name))
    written = str(tmp_path / "a.conllu")
    write_sentences(written, [Sentence(()), *sentences], name)
    assert list(read_sentences(written, name)) == sentences
    assert [block.metadata["sent_id"] for block in read_blocks(written)] == [
        str(number) for number in range(1, len(sentences) + 1)
    ]


texts = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1)
tags = st.sampled_from([tag("N;ACC;SG"), tag("_"), tag("PST;V.PTCP"), tag("N;{PST/FOO};A|B,C")])


@given(st.lists(st.builds(Token, texts, texts, tags), min_size=1))
def test_any_text_is_read_back(tmp_path_factory, tokens):
    # An underscore is CoNLL-U's sign for a missing lemma.
    expected = [t._replace(lemma=None) if t.lemma == "_" != t.form else t for t in tokens]
    path = str(tmp_path_factory.getbasetemp() / "any.conllu")
    write_sentences(path, [Sentence(tuple(tokens))])
    assert list(read_sentences(path)) == [Sentence(tuple(expected))]


def test_an_empty_lemma_is_written_as_missing():
    text = format_sentence(Sentence((Token("a", "", tag("N")),)))
    assert text.split("\n")[1].startswith("1\ta\t_\tNOUN")


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb"])
def test_what_no_column_can_hold_is_an_error(form):
    with pytest.raises(DataError, match="cannot hold"):
        write_sentences(io.StringIO(), [Sentence((Token(form),))])


@needs_treebanks
@pytest.mark.parametrize("name", TAGSETS)
def test_real_sentences_are_read_back(tmp_path, name):
    paths = sorted(TREEBANKS.glob("*/test.conllu"))
    assert len(paths) == 23
    for path in paths:
        sentences = list(islice(read_sentences(str(path), name), 100))
        written = str(tmp_path / "a.conllu")
        write_sentences(written, sentences, name)
        assert list(read_sentences(written, name)) == sentences


def test_a_part_of_speech_that_ud_has_not_is_told_once(tmp_path, caplog):
    path = tmp_path / "a.conllu"
    word = "{}\ta\ta\t{}\t_\t_\t_\t_\t_\t_\n"
    path.write_text(word.format(1, "NOUN") + word.format(2, "N") + word.format(3, "N"))
    with caplog.at_level("WARNING"):
        (sentence,) = read_sentences(str(path), "ud")
    assert len(sentence) == 3
    (record,) = caplog.records
    assert f"{path}: 'N' in the column UPOS" in record.message


def test_a_file_in_utf_16_is_refused_with_its_line(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes("1\ta\n".encode("utf-16-le"))
    with pytest.raises(DataError, match=r"a\.conllu:1: .*NUL character.*Remedy: convert"):
        list(read_sentences(str(path)))
