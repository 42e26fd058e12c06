import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_svae.models.archived_inflector import ArchivedInflector, Blueprint
from allennlp_svae.models.edit_transducer import EditTransducer
from tests.inflection_toy import (
    INFLECTIONS,
    instances_of,
    tensors_of,
    toy_transducer,
    transducer_params,
)

# In the vocabulary of the model that holds the archived one, characters and tags have other ids.
OTHERS = [("zürich", "zürichs", "PROPN;GEN;SG"), *reversed(INFLECTIONS)]
ASKED = [*INFLECTIONS, ("koli", "kolito", "N;NOM;PL"), ("zoo", "zoon", "N;ACC;SG")]


@pytest.fixture
def original() -> EditTransducer:
    return toy_transducer(INFLECTIONS)


@pytest.fixture
def archived(original: EditTransducer) -> ArchivedInflector:
    vocab = Vocabulary.from_instances(instances_of(OTHERS))
    assert vocab.get_token_index("t", "characters") != original.vocab.get_token_index(
        "t", "characters"
    )
    model = ArchivedInflector(vocab).eval()
    params = Params(transducer_params())
    params["initializer"] = {"regexes": [[".*", {"type": "pretrained", "weights_file_path": "x"}]]}
    blueprint = Blueprint.of(params, Params({"type": "inflections"}), original.vocab)
    model.fill(original, blueprint)
    return model


@pytest.fixture
def loaded(archived: ArchivedInflector) -> ArchivedInflector:
    """One that was empty until it was given the state, as when an archive is loaded."""
    model = ArchivedInflector(archived.vocab).eval()
    missing, unexpected = model.load_state_dict(archived.state_dict(), strict=True)
    assert not missing
    assert not unexpected
    return model


@pytest.mark.parametrize("which", ["archived", "loaded"])
def test_it_predicts_what_the_original_does(which, original, request):
    model = request.getfixturevalue(which)
    assert model.beam_size == original.beam_size
    # Indexed already, with the other vocabulary.
    asked = instances_of(ASKED)
    for instance in asked:
        instance.index_fields(model.vocab)
    assert model.inflect(asked, 3) == original.inflect(instances_of(ASKED), 3)
    assert model.log_prob(asked) == original.log_prob(instances_of(ASKED))
    torch.manual_seed(5)
    drawn = model.sample(asked)
    torch.manual_seed(5)
    assert drawn == original.sample(instances_of(ASKED))


@pytest.mark.parametrize("which", ["archived", "loaded"])
def test_forward_is_that_of_the_original(which, original, request):
    model = request.getfixturevalue(which)
    theirs = model(**tensors_of(model, instances_of(ASKED)))
    expected = original(**tensors_of(original, instances_of(ASKED)))
    assert theirs["forms"] == expected["forms"]
    assert theirs["loss"].item() == pytest.approx(expected["loss"].item())
    without = instances_of([(lemma, None, tag) for lemma, _, tag in ASKED])
    assert model(**tensors_of(model, without))["forms"] == expected["forms"]


def test_the_vocabulary_comes_back_whole(archived, loaded):
    old, new = archived.archived.vocab, loaded.archived.vocab
    assert old.get_namespaces() == new.get_namespaces()
    for namespace in old.get_namespaces():
        assert old.get_token_to_index_vocabulary(namespace) == new.get_token_to_index_vocabulary(
            namespace
        )


def test_loading_the_same_again_keeps_the_model(archived):
    before = archived.archived
    archived.load_state_dict(archived.state_dict())
    assert archived.archived is before


def test_an_empty_one_says_how_it_is_filled():
    with pytest.raises(ConfigurationError, match="Remedy: name its archive"):
        ArchivedInflector(Vocabulary()).inflect(instances_of(ASKED))
