import json
from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.models import load_archive

from tests.inflection_toy import config, transducer_params, write_tsv

TOP5 = "validation_inflection_accuracy_top5"


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("greedily", [False, True])
def test_epochs_are_compared_greedily_and_the_model_keeps_its_beam(
    width: int, greedily: bool, tmp_path: Path
) -> None:
    contents = config(
        write_tsv(tmp_path / "toy.tsv"), transducer_params(metric_beam_size=width), epochs=2
    )
    contents["trainer"]["callbacks"] = [{"type": "greedy_validation"}] if greedily else []
    run = tmp_path / "run"
    assert train_model(Params(contents), str(run)).metric_beam_size == width
    assert load_archive(run).model.metric_beam_size == width
    # Only a beam of five tells about the best five.
    for epoch in range(2):
        metrics = json.loads((run / f"metrics_epoch_{epoch}.json").read_text(encoding="utf-8"))
        assert (TOP5 in metrics) == (width == 5 and not greedily)
