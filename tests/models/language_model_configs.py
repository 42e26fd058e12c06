"""The repository's own configurations, made small enough for a test."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREEBANK = ROOT / "fixtures" / "tiny" / "turkish.conllu"


def small_config(name: str, folder: Path, changes: str) -> Path:
    """
    Writes into `folder` a `training_config/{name}` over the tiny treebank, with `changes`. Batches
    are unshuffled, since `ModelTestCase` compares two models on the first one of each.
    """
    path = folder / "small.jsonnet"
    data = (
        f"train_data_path: '{TREEBANK}', validation_data_path: '{TREEBANK}', "
        "data_loader: { batch_size: 16 }"
    )
    path.write_text(
        f"(import '{ROOT / 'training_config' / name}') + {{ {data} }} + {changes}",
        encoding="utf-8",
    )
    return path
