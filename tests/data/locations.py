"""Where the tests of this folder find their data."""

from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
TINY = _ROOT / "fixtures" / "tiny"
DEMO = _ROOT / "fixtures" / "demo"
SHARED = _ROOT.parent / "shared"
UD_TO_UNIMORPH = SHARED / "reference" / "ud_to_unimorph.tsv"
TREEBANKS = SHARED / "ud"

needs_reference = pytest.mark.skipif(
    not UD_TO_UNIMORPH.exists(), reason="../shared/reference/ud_to_unimorph.tsv is not there"
)
needs_treebanks = pytest.mark.skipif(not TREEBANKS.exists(), reason="../shared/ud is not there")
