"""The repository's own configurations, made small enough for a test."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREEBANK = ROOT / "fixtures" / "tiny" / "turkish.conllu"


def small_config(name: str, folder: Path, changes: str) -> Path:
    """Writes into `folder` a `training_config/{name}` over the tiny treebank, with `changes`."""
    path = folder / "small.jsonnet"
    paths = f"{{ train_data_path: '{TREEBANK}', validation_data_path: '{TREEBANK}' }}"
    path.write_text(
        f"(import '{ROOT / 'training_config' / name}') + {paths} + {changes}", encoding="utf-8"
    )
    return path
