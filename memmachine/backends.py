"""Entries of a setting in the shape of Django's CACHES, each built once a process, when used."""

import logging
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from memmachine.errors import ComponentNotEnabled

logger = logging.getLogger(__name__)


@cache
def _build(setting: str, name: str) -> Any:
    entry = getattr(settings, setting)[name]
    return import_string(entry["BACKEND"])(**entry.get("OPTIONS", {}))


def backend(setting: str, name: str) -> Any:
    """The backend under `name` in the setting; ComponentNotEnabled where it cannot be built."""
    try:
        return _build(setting, name)
    except Exception as error:
        logger.exception("%s[%r] cannot be built", setting, name)
        raise ComponentNotEnabled(
            f"The tenant's {setting.lower().removesuffix('s')} {name!r} cannot be built."
        ) from error
