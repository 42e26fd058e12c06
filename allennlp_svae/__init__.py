"""
A structured variational autoencoder for contextual morphological inflection, as an AllenNLP plugin.

Importing the package registers every reader, model, trainer callback and predictor with AllenNLP, and lets
torch use one thread unless `OMP_NUM_THREADS` says otherwise: the models are small, and threads that wait for
one another slow them down, many times over where the machine does something else as well. Python's search for
cyclic garbage is made rarer and spared all that is loaded by then: analyzing spent more than a tenth of its time
on it, to find nothing.
"""

import gc
import os
from importlib import import_module
from pkgutil import walk_packages

import torch

if "OMP_NUM_THREADS" not in os.environ:
    torch.set_num_threads(1)

for _module in walk_packages(__path__, prefix=f"{__name__}."):
    import_module(_module.name)

gc.freeze()
gc.set_threshold(10_000)
