from setuptools import find_packages, setup

setup(
    name="allennlp_svae",
    version="0.1.0",
    description="Morphological inflection from a small treebank and raw text: a structured VAE for AllenNLP",
    python_requires=">=3.11",
    packages=find_packages(include=["allennlp_svae", "allennlp_svae.*"]),
    # AllenNLP 2.10.1 and fairscale 0.4.6 are needed too, but must be installed with --no-deps: their own
    # pins (torch<1.13) cannot be met on Python 3.11. See "Without make" in README.md.
    install_requires=[
        "base58",
        "cached-path",
        "conllu>=4.5",
        "dill",
        "filelock",
        "h5py",
        "huggingface_hub<1",
        "jsonnet",
        "lmdb",
        "more-itertools",
        "nltk",
        "numpy",
        "requests",
        "scikit-learn",
        "scipy",
        "spacy",
        "tensorboardX",
        "termcolor",
        "torch>=2.4,<3",
        # Each release of torchvision asks for exactly its own torch, so the two always match.
        "torchvision>=0.19",
        "tqdm",
        "transformers>=4.41,<4.50",
    ],
    extras_require={
        "dev": ["hypothesis", "mypy", "pytest", "ruff"],
        "benchmarks": ["ufal.udpipe>=1.3,<2"],
    },
)
