"""The command that the paper prints: an alias of ``lwcal reproduce``.

For example ``python3 scripts/trimcal_eval.py --package`` or ``--quick --skip-compile``.
"""

import sys

from lwcal.cli.app import run

if __name__ == "__main__":
    sys.exit(run(["reproduce", *sys.argv[1:]]))
