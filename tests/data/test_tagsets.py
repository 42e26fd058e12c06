import csv
from typing import Iterator, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.conllu_columns import format_feats, parse_feats
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset
from allennlp_svae.data.ud_to_unimorph import FEATURE_TABLE
from tests.data.locations import UD_TO_UNIMORPH, needs_reference

NAMES = ["paper", "lossless", "ud"]
PAPER, LOSSLESS, UD = (tagset(name) for name in NAMES)


# Features that no UD value has, that stand only beside another, or that exclude each other.
FOREIGN = ["PST", "PRS", "FOO", "ARG(2,SG)", "A|B", "V.PTCP", "IN+ALL", "LGSPEC1", "PSSS", "PSS3"]
FOREIGN += ["{A/B}", "{PST/PRS}", "PSS", "N", "V", "COMP"]


class Row(NamedTuple):
    upos: str
    feats: str
    unimorph: str
    languages: str


def reference() -> Iterator[Row]:
    with open(UD_TO_UNIMORPH, encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from (Row(*row) for row in rows)


_layered = [
    (f"{what}[{layer}]", value)
    for layer in ("psor", "abs", "dat", "erg", "psed")
    for what, values in (("Person", "0 1 2 3 4 None"), ("Number", "Sing Dual Plur Coll None"))
    for value in values.split()
]
_pairs = sorted(FEATURE_TABLE) + _layered + [("Case", "Ter"), ("Degree", "Pos"), ("Foreign", "Yes")]
_values_of: dict = {}
for _attribute, _value in _pairs:
    _values_of.setdefault(_attribute, []).append(_value)


def _several(values):
    return st.lists(values, min_size=1, max_size=3).map(",".join)


_invented = st.dictionaries(
    st.from_regex(r"[A-Z][A-Za-z0-9]{0,5}(\[[a-z]{1,4}\])?", fullmatch=True),
    _several(st.from_regex(r"[A-Za-z0-9]{1,5}", fullmatch=True)),
    max_size=3,
)
_known = st.fixed_dictionaries(
    {}, optional={a: _several(st.sampled_from(v)) for a, v in _values_of.items()}
)
feats = st.builds(lambda known, invented: {**invented, **known}, _known, _invented)
upos = st.sampled_from(sorted(UD_POS)) | st.sampled_from(["N", "V.PTCP", "NN1", "upos"])


@needs_reference
def test_paper_tags_agree_with_every_row_of_the_reference():
    rows = list(reference())
    assert len(rows) == 7990
    for row in rows:
        tag = PAPER.encode(row.upos, parse_feats(row.feats))
        assert set(tag.parts) - {"_"} == set(row.unimorph.split(";")) - {"_"}, row


@needs_reference
def test_annotation_of_the_reference_survives_being_a_tag():
    for row in reference():
        given_feats = parse_feats(row.feats)
        for name in NAMES:
            tag = tagset(name).encode(row.upos, given_feats)
            assert MorphTag.parse(str(tag)) == tag
            decoded = tagset(name).decode(tag)
            if name == "paper":
                assert PAPER.encode(*decoded) == tag
                assert "Unimorph" not in decoded[1]
            else:
                assert decoded == (row.upos, given_feats)


@needs_reference
def test_no_two_annotations_of_the_reference_share_a_lossless_tag():
    rows = list(reference())
    tags = {str(LOSSLESS.encode(row.upos, parse_feats(row.feats))) for row in rows}
    assert len(tags) == len(rows)


@pytest.mark.parametrize("name", ["lossless", "ud"])
@given(upos=upos, feats=feats)
def test_decoding_inverts_encoding(name, upos, feats):
    tag = tagset(name).encode(upos, feats)
    assert tagset(name).decode(tag) == (upos, feats)
    assert MorphTag.parse(str(tag)) == tag


@given(upos=upos, feats=feats)
def test_every_paper_tag_has_a_reading(upos, feats):
    tag = PAPER.encode(upos, feats)
    assert PAPER.encode(*PAPER.decode(tag)) == tag
    assert MorphTag.parse(str(tag)) == tag


@given(st.frozensets(st.sampled_from(FOREIGN)))
def test_features_foreign_to_ud_survive_in_paper_tags(features):
    tag = MorphTag.parse(";".join(sorted(features)) or "_")
    upos, feats = PAPER.decode(tag)
    assert PAPER.encode(upos, parse_feats(format_feats(feats))) == tag


@pytest.mark.parametrize("name", NAMES)
def test_every_tag_can_be_written_as_upos_and_feats(name):
    for text in ["V;PST", "N;{A/B};ARG(2,SG)", "_", "NOUN;Case=Acc", "PSS;X"]:
        upos, feats = tagset(name).decode(MorphTag.parse(text))
        assert upos
        assert parse_feats(format_feats(feats)) == feats


@pytest.mark.parametrize(
    ("upos", "feats", "tag"),
    [
        (
            "NOUN",
            "Case=Nom|Number=Sing|Number[psor]=Sing|Person=3|Person[psor]=1",
            "N;3;NOM;PSS1S;SG",
        ),
        ("NOUN", "Case=Add|Number=Sing", "N;IN+ALL;LGSPEC1;SG"),
        ("NOUN", "Case=Ine|Number=Plur", "N;IN+ESS;PL"),
        ("NOUN", "Gender=Com", "N;MASC+FEM"),
        ("NOUN", "Number[psor]=Plur|Person[psor]=None", "N;PSSD"),
        ("PRON", "Case=Acc,Dat|PronType=Int,Rel", "PRO;{ACC/DAT}"),
        ("AUX", "Number[abs]=Sing|Person[abs]=3|Person[erg]=1", "V;ARGAB3S;ARGER1"),
        ("VERB", "Mood=Imp,Jus", "V;IMP"),
        ("VERB", "Mood=Nec|VerbForm=Fin", "V;FIN"),
        ("CCONJ", "_", "CONJ"),
        ("CONJ", "_", "_"),
        ("PUNCT", "PunctType=Comm", "_"),
        ("X", "VerbForm=Part|Tense=Past", "PST;V.PTCP"),
    ],
)
def test_paper_tags(upos, feats, tag):
    assert PAPER.encode(upos, parse_feats(feats)) == MorphTag.parse(tag)


@pytest.mark.parametrize(
    ("upos", "feats", "tag"),
    [
        ("NOUN", "Case=Ter|Number=Sing", "N;SG;TERM"),
        ("NOUN", "Case=Del", "N;ON+ABL"),
        ("NOUN", "Case=Cau", "N;PRP"),
        ("NOUN", "Case=Tem", "N;LGSPEC:Case=Tem"),
        ("NOUN", "Case=Add", "N;LGSPEC:Case=Add"),
        ("ADJ", "Degree=Pos", "ADJ;LGSPEC:Degree=Pos"),
        ("NUM", "NumType=Card", "NUM;LGSPEC:NumType=Card"),
        ("PRON", "Case=Acc,Dat|PronType=Int,Rel", "PRO;LGSPEC:PronType=Int,Rel;{ACC/DAT}"),
        ("DET", "Poss=Yes", "DET;LGSPEC:Poss=Yes"),
        ("VERB", "Mood=Nec", "V;OBLIG"),
        ("AUX", "Number[abs]=Sing|Person[abs]=3", "AUX;ARGAB3S"),
        ("NOUN", "Number[psor]=None|Person[psor]=3", "N;PSS3;LGSPEC:Number[psor]=None"),
        ("SCONJ", "_", "COMP"),
        ("PUNCT", "_", "PUNCT"),
        ("CONJ", "_", "LGSPEC:upos=CONJ"),
    ],
)
def test_lossless_tags(upos, feats, tag):
    assert LOSSLESS.encode(upos, parse_feats(feats)) == MorphTag.parse(tag)


def test_ud_tags():
    tag = UD.encode("PRON", {"Case": "Acc,Dat", "Number[psor]": "Sing"})
    assert str(tag) == "PRON;Case=Acc,Dat;Number[psor]=Sing"


@pytest.mark.parametrize(
    ("tag", "upos", "feats"),
    [
        ("V;PFV;3;SG;FIN;IND", "VERB", "Aspect=Perf|Mood=Ind|Number=Sing|Person=3|VerbForm=Fin"),
        ("V;IPFV;PFV", "VERB", "Aspect=Perf|Tense=Imp"),
        ("N;DEF;PSSD", "NOUN", "Definite=Def|Number[psor]=None|Person[psor]=None"),
        ("N;IN+ALL;PL", "NOUN", "Case=Ill|Number=Plur"),
        ("V;V.CVB", "VERB", "VerbForm=Conv"),
        ("PRO;{1/2/3}", "PRON", "Person=1,2,3"),
        ("_", "PUNCT", "_"),
    ],
)
def test_readings_of_paper_tags(tag, upos, feats):
    assert PAPER.decode(MorphTag.parse(tag)) == (upos, parse_feats(feats))


def test_an_unknown_tagset_is_an_error():
    with pytest.raises(DataError, match="papier"):
        tagset("papier")
