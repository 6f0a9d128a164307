"""Django's secret key, minted into the data directory when the environment brings none."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key`, made there (mode 0600) by whoever comes first.

    Raises ImproperlyConfigured, in one line, where the folder can be neither read nor written.
    """
    path = data_dir / "secret_key"
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"secret_key.{os.getpid()}.{secrets.token_hex(4)}")
        if not path.exists():
            # Linked into place whole: a second process never reads half a key.
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(48))
            try:
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"the data directory {data_dir} cannot be used ({error.strerror});"
            " set MEMMACHINE_DATA_DIR to a folder that you can write to"
        ) from error
