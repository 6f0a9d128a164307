"""Entries of a setting in the shape of Django's CACHES, each built once a process, when used."""

import logging
import threading
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from memmachine.errors import ComponentNotEnabled

logger = logging.getLogger(__name__)


_built: dict[tuple[str, str], Any] = {}
_building = threading.Lock()


def backend(setting: str, name: str) -> Any:
    """The backend under `name` in the setting; ComponentNotEnabled where it cannot be built."""
    try:
        with _building:
            if (setting, name) not in _built:
                entry = getattr(settings, setting)[name]
                build = import_string(entry["BACKEND"])
                _built[setting, name] = build(**entry.get("OPTIONS", {}))
            return _built[setting, name]
    except Exception as error:
        logger.exception("%s[%r] cannot be built", setting, name)
        raise ComponentNotEnabled(
            f"The tenant's {setting.lower().removesuffix('s')} {name!r} cannot be built."
        ) from error
