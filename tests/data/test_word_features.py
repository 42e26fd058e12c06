"""Features of words in their sentence and of lemma candidates."""

from hypothesis import example, given
from hypothesis import strategies as st

from allennlp_svae.data.lemma_features import lemma_features
from allennlp_svae.data.lemma_rules import analyze
from allennlp_svae.data.word_features import fold, shape, word_features


def test_a_word_shows_itself_its_affixes_and_its_neighbors() -> None:
    before, word, _ = map(set, word_features(["My", "Wugs", "fly"]))
    assert {"f=Wugs", "w=wugs", "p=w", "s=s", "s=gs", "s=wugs", "-1=my", "+1=fly", "x=Xx"} <= word
    assert "c^=capital" in before
    assert "c=capital" in word


def test_case_is_folded_in_turkish_and_english() -> None:
    assert fold("İŞ") == "iş"
    assert fold("IT") == "it"


def test_shapes_collapse_runs() -> None:
    assert [shape(form) for form in ("Paris", "3.14", "TBMM'de", "")] == ["Xx", "d.d", "X'x", ""]


@example([""], "\r")
@given(st.lists(st.text(max_size=5), min_size=1, max_size=4), st.text(max_size=5))
def test_features_have_no_line_ends_and_are_a_function_of_the_input(
    forms: list, lemma: str
) -> None:
    extracted = word_features(forms)
    assert len(extracted) == len(forms)
    assert extracted == word_features(forms)
    of_lemma = lemma_features(forms[0], analyze(forms[0], lemma))
    assert of_lemma == lemma_features(forms[0], analyze(forms[0], lemma))
    for features in [*extracted, of_lemma]:
        assert not any("\n" in feature or "\r" in feature for feature in features)


def test_a_lemma_candidate_shows_its_tree_with_the_ending_and_its_replacement() -> None:
    analysis = analyze("walked", "walk")
    features = set(lemma_features("walked", analysis))
    assert {
        f"t={analysis.tree}",
        f"ts={analysis.tree} ed",
        "l=walk",
        "s=lk",
        "a=ed>",
        "a1=ed> k",
    } <= features
