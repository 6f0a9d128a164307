#!/usr/bin/env python
"""MemMachine's command line: `manage.py serve`, `manage.py demo`, and Django's own commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memmachine.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from environs import EnvError

    from memmachine.embedded.errors import EmbeddedPostgresError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, EnvError, EmbeddedPostgresError) as error:
        sys.exit(f"memmachine: {error}")
    except BrokenPipeError:  # as in `manage.py demo | head`: whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
