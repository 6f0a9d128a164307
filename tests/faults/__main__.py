"""`make soak`: the fault suite round after round, its timings by chance.

MEMMACHINE_SOAK_MINUTES says for how long (10), MEMMACHINE_SOAK_SEED with which seed to begin.
"""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    until = time.monotonic() + 60 * float(os.environ.get("MEMMACHINE_SOAK_MINUTES") or 10)
    seed = int(os.environ.get("MEMMACHINE_SOAK_SEED") or secrets.randbelow(10**6))
    while time.monotonic() < until:
        print(f"MEMMACHINE_SOAK_SEED={seed}", flush=True)
        code = subprocess.run(
            [sys.executable, "-m", "pytest", Path(__file__).parent],
            env={**os.environ, "MEMMACHINE_SOAK_SEED": str(seed)},
            check=False,
        ).returncode
        if code:
            print(f"To see it again: make soak SOAK_SEED={seed}")
            return code
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
