"""Real archives in a second or two: the configs of `training_config/` with small networks and few epochs."""

import json
from pathlib import Path
from typing import Any, Callable

from tests.conftest import ROOT

# Networks too small to learn much in so little time, and different from one another all the same.
LITTLE = """{
  parts+:: {
    inflector+: {
      embedding_dim:: 8,
      hidden_size:: 8,
      model+: { beam_size: 3, max_insertions: 6 },
      training+:: { num_epochs: 2 },
      data_loader+: { batches_per_epoch: 6 },
    },
  },
}"""


def train_small(
    allennlp: Callable[..., None], folder: Path, config: str, treebank: Path, **fields: Any
) -> Path:
    """
    Trains `training_config/{config}.jsonnet`, the user's fields set, in the folder `run` under `folder`. Returns
    that run's archive.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = json.dumps(str(ROOT / "training_config" / f"{config}.jsonnet"))
    values = {"treebank": str(treebank), "labeled_tokens": 120, **fields}
    settings = ", ".join(f"{name}:: {json.dumps(value)}" for name, value in values.items())
    (folder / "config.jsonnet").write_text(
        f"(import {path}) + {LITTLE} + {{ {settings} }}", encoding="utf-8"
    )
    allennlp("train", folder / "config.jsonnet", "-s", folder / "run")
    return folder / "run" / "model.tar.gz"


def train_tagger(
    allennlp: Callable[..., None], folder: Path, treebank: Path, **fields: Any
) -> Path:
    """Trains the tagger-lemmatizer for two epochs with fields of its part; returns the archive."""
    config = str(ROOT / "training_config" / "tagger_lemmatizer.jsonnet")
    settings = ", ".join(f"{name}:: {json.dumps(value)}" for name, value in fields.items())
    (folder / "config.jsonnet").write_text(
        f"""
        (import {json.dumps(config)}) + {{
          treebank:: {json.dumps(str(treebank))}, labeled_tokens:: 120, tagset:: 'ud',
          parts+:: {{ tagger_lemmatizer+: {{ {settings}, trainer+: {{ num_epochs: 2 }} }} }},
        }}""",
        encoding="utf-8",
    )
    allennlp("train", folder / "config.jsonnet", "-s", folder / "run")
    return folder / "run" / "model.tar.gz"


def analyzed(allennlp: Callable[..., None], archive: Path, source: Path, output: Path) -> str:
    options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
    allennlp("predict", archive, source, *options, "--output-file", output)
    return output.read_text(encoding="utf-8")
