"""The paper's own command line, as an alias of ``lwcal reproduce``.

``python3 scripts/trimcal_eval.py --package`` and ``--quick --skip-compile`` work as printed there.
"""

import sys

from lwcal.cli.app import run

if __name__ == "__main__":
    sys.exit(run(["reproduce", *sys.argv[1:]]))
