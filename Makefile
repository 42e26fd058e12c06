# Two commands: `make train` and `make test`. Each only strings together what README.md shows.
#   VENV=   the environment to use, created if it is not there     (.venv)
#   PYTHON= the Python that creates it: 3.11, 3.12 or 3.13          (python3)
#   RUN=    the folder that `make train` writes its run to          (runs/svae)
VENV ?= .venv
PYTHON ?= python3
RUN ?= runs/svae

BIN = $(VENV)/bin
INSTALLED = $(VENV)/.allennlp_svae
ALLENNLP = $(BIN)/allennlp
PACKAGE = --include-package allennlp_svae

.PHONY: train test install lint types unit

train: $(INSTALLED)
	@if [ -e "$(RUN)" ] || [ -e "$(RUN)-nn" ]; then \
	  echo "$(RUN) or $(RUN)-nn exists and is left as it is. To train again, either name another run:"; \
	  echo "    make train RUN=runs/another"; \
	  echo "or remove the old one:"; \
	  echo "    rm -r $(RUN) $(RUN)-nn"; \
	  exit 1; \
	fi
	$(ALLENNLP) train training_config/inflector.jsonnet $(PACKAGE) -s $(RUN)-nn
	$(ALLENNLP) train training_config/svae.jsonnet $(PACKAGE) -s $(RUN)
	$(ALLENNLP) compare $(PACKAGE) fixtures/demo/test.conllu NN=$(RUN)-nn SVAE=$(RUN)

test: lint types unit

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy allennlp_svae benchmarks

unit: $(INSTALLED)
	$(BIN)/pytest

install: $(INSTALLED)

$(INSTALLED): setup.py
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v < (3, 14) else f"Python 3.11, 3.12 or 3.13 is needed, this is {v.major}.{v.minor}. Name one: make PYTHON=python3.12 …")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps allennlp==2.10.1 fairscale==0.4.6
	touch $@
