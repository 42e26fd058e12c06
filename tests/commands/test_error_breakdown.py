import io

import pytest

from allennlp_svae.commands.error_breakdown import (
    CAPITALISED,
    OTHER,
    SAME,
    Item,
    breakdown,
    casing_of,
    table,
    write_items,
)
from allennlp_svae.data.errors import DataError

RIGHT = Item(
    lemma="ev",
    tag="N;SG",
    gold="ev",
    predicted="ev",
    log_prob=-0.25,
    correct=True,
    right_but_for_case=False,
    seen_tag=True,
    seen_lemma=True,
    casing=SAME,
    lemma_to_gold=0,
    predicted_to_gold=0,
    pos="N",
)
ITEMS = [
    RIGHT,
    RIGHT._replace(seen_lemma=False, lemma_to_gold=3, pos="V"),
    RIGHT._replace(
        correct=False,
        right_but_for_case=True,
        casing=CAPITALISED,
        lemma_to_gold=4,
        predicted_to_gold=1,
        pos="V",
    ),
    RIGHT._replace(
        correct=False, seen_tag=False, seen_lemma=False, lemma_to_gold=7, predicted_to_gold=9
    ),
    RIGHT._replace(correct=False, lemma_to_gold=1, predicted_to_gold=4, pos="ADJ"),
]


def groups(title):
    (block,) = [block for block in breakdown(ITEMS) if block.title == title]
    return [tuple(group) for group in block.groups]


def test_seen_and_unseen_are_four_groups():
    assert groups("tag and lemma") == [
        ("seen tag, seen lemma", 3, 2),
        ("seen tag, unseen lemma", 1, 0),
        ("unseen tag, seen lemma", 0, 0),
        ("unseen tag, unseen lemma", 1, 1),
    ]


def test_casing():
    assert groups("casing of the form") == [
        ("the lemma's", 4, 2),
        ("capitalised, lemma lower-case", 1, 1),
        ("other", 0, 0),
    ]
    assert groups("errors by case") == [
        ("right but for case", 1, 1),
        ("wrong in other ways", 2, 2),
    ]


def test_edit_distances_fall_into_bands():
    assert groups("edit distance from lemma to form") == [
        ("0", 1, 0),
        ("1", 1, 1),
        ("2", 0, 0),
        ("3–4", 2, 1),
        ("5–6", 0, 0),
        ("7+", 1, 1),
    ]
    assert groups("errors by edit distance from the form") == [
        ("1", 1, 1),
        ("2", 0, 0),
        ("3", 0, 0),
        ("4+", 2, 2),
    ]


@pytest.mark.parametrize(
    ("distance", "band"),
    [(0, "0"), (1, "1"), (2, "2"), (3, "3–4"), (4, "3–4"), (5, "5–6"), (6, "5–6"), (7, "7+")],
)
def test_each_distance_has_one_band(distance, band):
    blocks = breakdown([RIGHT._replace(lemma_to_gold=distance)])
    (block,) = [block for block in blocks if block.title == "edit distance from lemma to form"]
    assert [group.name for group in block.groups if group.items] == [band]


def test_parts_of_speech_are_ordered_by_frequency_then_name():
    assert groups("part of speech") == [("N", 2, 1), ("V", 2, 1), ("ADJ", 1, 1)]


def test_the_table_holds_shares_in_percent():
    lines = [line.split() for line in table(breakdown(ITEMS), 5, 3).splitlines()]
    assert lines[0] == ["items", "%", "of", "items", "accuracy", "%", "of", "errors"]
    assert ["all", "5", "100.0", "40.0", "100.0"] in lines
    assert ["seen", "tag,", "seen", "lemma", "3", "60.0", "33.3", "66.7"] in lines
    assert ["unseen", "tag,", "seen", "lemma", "0", "0.0", "-", "0.0"] in lines
    assert ["right", "but", "for", "case", "1", "20.0", "-", "33.3"] in lines


def test_no_errors_have_no_shares():
    lines = [line.split() for line in table(breakdown([RIGHT]), 1, 0).splitlines()]
    assert ["all", "1", "100.0", "100.0", "-"] in lines


def test_the_columns_of_the_table_end_together():
    lines = table(breakdown(ITEMS), 5, 3).splitlines()
    assert len({len(line) for line in lines if line and not line[0].isalpha()}) == 1


@pytest.mark.parametrize(
    ("form", "lemma", "casing"),
    [
        ("evler", "ev", SAME),
        ("went", "go", SAME),
        ("İzmir'de", "İzmir", SAME),
        ("Irak'a", "Irak", SAME),
        ("ABD'nin", "ABD", SAME),
        ("TBMM", "TBMM", SAME),
        ("KİTAPLAR", "KİTAP", SAME),
        ("McDonald's", "McDonald", SAME),
        ("'Em", "'Em", SAME),
        ("1990'da", "1990", SAME),
        ("Kitaplar", "kitap", CAPITALISED),
        ("İyisi", "iyi", CAPITALISED),
        ("Irmaklar", "ırmak", CAPITALISED),
        ("O", "o", CAPITALISED),
        ("'Em", "'em", CAPITALISED),
        ("KİTAPLAR", "kitap", OTHER),
        ("kİtap", "kitap", OTHER),
        ("amerikai", "Amerika", OTHER),
        ("Abd'nin", "ABD", OTHER),
        ("Ebay'e", "eBay", OTHER),
    ],
)
def test_casing_is_that_of_the_lemma_or_not(form, lemma, casing):
    assert casing_of(form, lemma) == casing


def test_the_file_has_a_header_and_a_line_an_item():
    file = io.StringIO()
    write_items(file, [ITEMS[2]])
    header, line = file.getvalue().splitlines()
    assert dict(zip(header.split("\t"), line.split("\t"), strict=True)) == {
        "lemma": "ev",
        "tag": "N;SG",
        "gold": "ev",
        "predicted": "ev",
        "log_prob": "-0.2500",
        "correct": "0",
        "right_but_for_case": "1",
        "seen_tag": "1",
        "seen_lemma": "1",
        "casing": "capitalised",
        "lemma_to_gold": "4",
        "predicted_to_gold": "1",
        "pos": "V",
    }


@pytest.mark.parametrize("predicted", ["e\tv", "e\rv", "e\nv"])
def test_the_file_cannot_hold_tabs_and_line_breaks(predicted):
    with pytest.raises(DataError, match="cannot hold"):
        write_items(io.StringIO(), [RIGHT._replace(predicted=predicted)])
