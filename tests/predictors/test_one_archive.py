"""Everything a person does with an archive, by the command line, on a copy that stands alone."""

import json
import re
import shutil
from collections import Counter

import pytest
import torch
from allennlp.models import load_archive
from scipy.stats import chi2_contingency

from allennlp_svae.data.conllu_format import read_blocks
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.treebank import read_sentences, sentence_blocks
from allennlp_svae.data.unimorph_tsv import Inflection, read_inflections
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.predictors import dream as dream_predictor
from allennlp_svae.training.instances_loader import evaluation_loader
from allennlp_svae.training.part_training import measure
from tests.conftest import ROOT

QUIRKS = ROOT / "fixtures" / "tiny" / "quirks.conllu"
TEXT = ROOT / "fixtures" / "tiny" / "raw.txt"
INFLECTIONS = ROOT / "fixtures" / "tiny" / "asked.tsv"


@pytest.fixture(scope="module")
def archive(svae_run, tmp_path_factory):
    """The archive in another folder, while its run's folder is gone."""
    moved = tmp_path_factory.mktemp("elsewhere") / "moved.tar.gz"
    shutil.copy(svae_run / "model.tar.gz", moved)
    hidden = svae_run.with_name("hidden")
    svae_run.rename(hidden)
    yield moved
    hidden.rename(svae_run)


@pytest.fixture
def predict(archive, allennlp, tmp_path):
    def call(predictor, source, *options):
        if isinstance(source, list):
            lines = "".join(json.dumps(each) + "\n" for each in source)
            source = tmp_path / "input.jsonl"
            source.write_text(lines, encoding="utf-8")
        suffix = "jsonl" if predictor in ("inflect", "paradigm") else "conllu"
        output = tmp_path / f"{predictor}_{len(list(tmp_path.iterdir()))}.{suffix}"
        options = ["--output-file", output, "--silent", *options]
        allennlp("predict", archive, source, "--predictor", predictor, *options)
        return output

    return call


def test_analyze_writes_a_conllu_file(predict):
    inputs = [{"forms": ["my", "wugs"]}, {"sentence": "the blicket is here"}]
    output = predict("analyze", inputs)
    assert output.read_text(encoding="utf-8").endswith("\n\n")
    sentences = list(read_sentences(str(output)))
    assert [each.forms for each in sentences] == [["my", "wugs"], ["the", "blicket", "is", "here"]]
    assert all(token.lemma and token.tag for each in sentences for token in each.tokens)


def test_analyze_keeps_what_it_does_not_annotate(predict):
    output = predict("analyze", QUIRKS, "--use-dataset-reader")
    before, after = list(read_blocks(str(QUIRKS))), list(read_blocks(str(output)))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert old.comments == new.comments
        for old_row, new_row in zip(old, new, strict=True):
            kept = {"id", "form", "xpos", "head", "deprel", "deps", "misc"}
            if not isinstance(old_row["id"], int):
                kept = set(old_row)
            assert {name: old_row[name] for name in kept} == {name: new_row[name] for name in kept}


@pytest.mark.parametrize("portion", ["", "#unlabeled"])
def test_analyze_keeps_the_rows_of_a_split_too(portion, predict, treebank):
    output = predict("analyze", f"{treebank}/train{portion}", "--use-dataset-reader")
    everything = list(sentence_blocks(f"{treebank}/train", labeled_tokens=120))
    asked = list(sentence_blocks(f"{treebank}/train{portion}", labeled_tokens=120))
    assert (len(asked) < len(everything)) is bool(portion)
    kept = [(block.comments, [row["misc"] for row in block]) for block in asked]
    assert any("SpaceAfter=No" in miscs for _, miscs in kept)
    after = read_blocks(str(output))
    assert [(block.comments, [row["misc"] for row in block]) for block in after] == kept


def test_analyze_reads_text_and_gives_k_best(predict):
    output = predict("analyze", TEXT, "--use-dataset-reader", "--predictor-args", '{"k_best": 3}')
    text = output.read_text(encoding="utf-8")
    ranks = [int(rank) for rank in re.findall(r"# rank = (\d)", text)]
    scores = [float(score) for score in re.findall(r"# log_prob = (\S+)", text)]
    analyses = list(read_sentences(str(output)))
    assert len(ranks) == len(scores) == len(analyses)
    assert max(ranks) == 3
    for position in range(1, len(ranks)):
        if ranks[position] > 1:
            assert scores[position] <= scores[position - 1]
            assert analyses[position].forms == analyses[position - 1].forms
            assert analyses[position] != analyses[position - 1]
    best = [analysis for analysis, rank in zip(analyses, ranks, strict=True) if rank == 1]
    assert [each.forms for each in best] == [each.forms for each in read_sentences(str(TEXT))]


def test_inflect_answers_with_candidates(predict):
    (line,) = predict("inflect", [{"lemma": "rosa", "tag": "N;NOM;SG"}]).read_text().splitlines()
    answer = json.loads(line)
    assert answer.keys() == {"lemma", "tag", "form", "log_prob", "confidence", "candidates"}
    assert answer["lemma"] == "rosa"
    best = answer["candidates"][0]
    assert best == {name: answer[name] for name in ("form", "log_prob", "confidence")}
    confidences = [candidate["confidence"] for candidate in answer["candidates"]]
    assert confidences == sorted(confidences, reverse=True)
    assert 0.0 < sum(confidences) <= 1.0


def test_inflect_fills_in_a_unimorph_file(predict):
    output = predict("inflect", INFLECTIONS, "--use-dataset-reader")
    filled_in = list(read_inflections(str(output)))
    asked = list(read_inflections(str(INFLECTIONS), allow_missing_form=True))
    assert any(one.form is None for one in asked)
    questions = [{"lemma": one.lemma, "tag": str(one.tag)} for one in asked]
    answers = predict("inflect", questions).read_text(encoding="utf-8").splitlines()
    forms = [json.loads(answer)["form"] for answer in answers]
    pairs = zip(asked, forms, strict=True)
    assert filled_in == [Inflection(one.lemma, form, one.tag) for one, form in pairs]


@pytest.mark.parametrize(
    "asked", [{"count": 0}, {"temperature": "warm"}, {"seed": "x"}, {"seed": None}], ids=str
)
def test_what_cannot_be_dreamed_is_refused(asked, predict):
    with pytest.raises(DataError, match=r"cannot be dreamed.*Remedy"):
        predict("dream", [asked])


def test_dreams_are_of_no_file(predict, tmp_path):
    with pytest.raises(DataError, match=r"JSON lines alone.*leave --use-dataset-reader out"):
        predict("dream", QUIRKS, "--use-dataset-reader")
    assert not any(tmp_path.iterdir())


def test_dreams_depend_on_their_seed(predict):
    def dream(seed):
        output = predict("dream", [{"count": 3, "temperature": 0.75, "seed": seed}])
        return list(read_sentences(str(output)))

    one = dream(1)
    assert len(one) == 3
    assert one == dream(1)
    assert one != dream(2)
    assert all(token.tag for each in one for token in each.tokens)


def test_many_dreams_are_dreamed_in_turn(predict, monkeypatch):
    monkeypatch.setattr(dream_predictor, "DREAMED_TOGETHER", 2)
    # Of trials that bring nothing.
    monkeypatch.setattr(dream_predictor, "MAX_TRIALS", 2)
    dream = StructuredVAE.dream
    counts = []

    def all_but_one(model, count, *arguments):
        counts.append(count)
        # As if one had an empty word.
        return dream(model, count, *arguments)[: max(1, count - 1)]

    monkeypatch.setattr(StructuredVAE, "dream", all_but_one)
    output = predict("dream", [{"count": 4}])
    assert len(list(read_sentences(str(output)))) == 4
    assert counts == [2, 2, 2, 1]


def test_where_every_dream_has_an_empty_word_it_is_said(predict, monkeypatch):
    monkeypatch.setattr(StructuredVAE, "dream", lambda *_: [])
    with pytest.raises(DataError, match=r"2 sentences have an empty word.*lower the temperature"):
        predict("dream", [{"count": 2}])


def test_reconstruct_tells_both_decodings(predict):
    output = predict("reconstruct", [{"sentence": "my wugs"}])
    (block,) = read_blocks(str(output))
    (analyzed,) = read_sentences(str(output))
    questions = [{"lemma": token.lemma, "tag": str(token.tag)} for token in analyzed.tokens]
    answers = predict("inflect", questions).read_text(encoding="utf-8").splitlines()
    for row, answer in zip(block, answers, strict=True):
        best, sampled = (part.partition("=") for part in row["misc"].split("|"))
        assert best == ("Reconstruction", "=", json.loads(answer)["form"])
        assert sampled[:2] == ("Sampled", "=")


def test_evaluate_prints_the_inflection_metrics(archive, allennlp, treebank, tmp_path):
    output = tmp_path / "metrics.json"
    (test,) = treebank.glob("*-test.conllu")
    allennlp("evaluate", archive, test, "--output-file", output)
    metrics = json.loads(output.read_text())
    assert 0.0 <= metrics["inflection_accuracy"] <= metrics["inflection_accuracy_caseless"] <= 1.0
    assert metrics["edit_distance"] > 0.0


@pytest.mark.parametrize(
    ("part", "metric"),
    [
        ("tagger_lemmatizer", "joint_accuracy"),
        ("tag_lm", "perplexity"),
        ("lemma_lm", "bits_per_character"),
    ],
)
def test_evaluate_measures_any_part(part, metric, archive, allennlp, treebank, tmp_path):
    output = tmp_path / "metrics.json"
    (test,) = treebank.glob("*-test.conllu")
    override = json.dumps({"dataset_reader.part": part})
    allennlp("evaluate", archive, test, "--output-file", output, "-o", override)
    measured = json.loads(output.read_text())[metric]
    loaded = load_archive(archive, overrides=override)
    reader = loaded.validation_dataset_reader
    loader = evaluation_loader(list(reader.read(str(test))), loaded.model.vocab)
    assert measured == pytest.approx(measure(loaded.model.part(part), loader)[metric])
    assert measured > 0.0


@pytest.mark.parametrize("wrong", [{}, {"forms": []}, {"forms": ["a", ""]}, {"sentence": " "}])
def test_a_wrong_sentence_is_refused_with_a_remedy(predict, wrong):
    with pytest.raises(DataError, match="Remedy"):
        predict("analyze", [wrong])


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": "3"}, {"temperature": 0}])
def test_a_wrong_dream_is_refused_with_a_remedy(predict, wrong):
    with pytest.raises(DataError, match="Remedy"):
        predict("dream", [wrong])


@pytest.mark.parametrize("predictor", ["inflect", "paradigm", "analyze", "dream", "reconstruct"])
@pytest.mark.parametrize("line", ["my wugs", '["my", "wugs"]'])
def test_a_line_that_is_no_object_is_refused_with_an_example(
    predictor, line, archive, allennlp, tmp_path
):
    source = tmp_path / "input.jsonl"
    source.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"Not (JSON|a JSON object).*write \{"):
        allennlp(
            "predict", archive, source, "--predictor", predictor, "--output-file", tmp_path / "out"
        )


def test_dreams_that_get_too_long_are_dreamed_anew(archive):
    """So their lengths are distributed as those of the tag LM's sentences that are short enough."""
    loaded = load_archive(archive)
    model, reader = loaded.model, loaded.dataset_reader.readers["inflector"]
    torch.manual_seed(3)
    longest = 12
    dreams = model.dream(400, reader.text_to_instance, max_length=longest)
    assert max(map(len, dreams)) <= longest
    found = Counter(len(tags) for tags in model._tags(4000, longest))
    assert found.total() == 4000
    free = Counter(map(len, model.tag_lm.sample(20000)))
    counts = [[lengths[length] for length in range(3, longest + 1)] for lengths in (found, free)]
    assert chi2_contingency(counts).pvalue > 1e-3


def test_dreams_that_will_not_end_are_cut_off(archive):
    loaded = load_archive(archive)
    model, reader = loaded.model, loaded.dataset_reader.readers["inflector"]
    with torch.no_grad():
        model.tag_lm.softmax.bias[model.tag_lm._end] = -1e9
    assert [len(tags) for tags in model._tags(5, max_length=3)] == [3] * 5
    assert model.dream(5, reader.text_to_instance, max_length=3)
