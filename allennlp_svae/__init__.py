"""
A structured variational autoencoder for contextual morphological inflection, as an AllenNLP plugin.

Importing the package registers every reader, model, trainer callback and predictor with AllenNLP.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, prefix=f"{__name__}."):
    import_module(_module.name)
