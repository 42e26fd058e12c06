"""What each thing is worth: configs that lack one, and the models they name."""

from benchmarks.ablation import inflection_models, tagger_models

__all__ = ["inflection_models", "tagger_models"]
