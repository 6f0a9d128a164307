"""Settings, read once from the environment; what cannot be understood is refused.

Every variable of ours begins with `MEMMACHINE_`; `DATABASE_URL` and `SECRET_KEY` have their
usual names. Combinations that cannot work are system checks (`memmachine/checks.py`).
"""

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import Env, validate

from memmachine.secret_key import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()


def positive(name: str, default: int) -> int:
    return env.int(name, default, validate=validate.Range(min=1))


DATA_DIR: Path = env.path("MEMMACHINE_DATA_DIR", BASE_DIR / "var").absolute()
SECRET_KEY = env.str("SECRET_KEY", "") or secret_key(DATA_DIR)
DEBUG = False
ALLOWED_HOSTS: list[str] = env.list(
    "MEMMACHINE_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"], subcast=str
)

INSTALLED_APPS = [
    "memmachine",
    "tenants",
    "episodic",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
# Asynchronous throughout: a synchronous one would cost each request two thread hops.
MIDDLEWARE = [
    "servestatic.middleware.ServeStaticMiddleware",
    "memmachine.middleware.content_length",
]
ROOT_URLCONF = "memmachine.urls"
ASGI_APPLICATION = "memmachine.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
    }
]
STATIC_URL = "/static/"
SERVESTATIC_USE_FINDERS = True
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"

# The database: an embedded PostgreSQL unless DATABASE_URL names one.
# Under ASGI each request has a thread, and so a connection, of its own: they come from a pool.
POOL = {
    "min_size": 1,
    "max_size": positive("MEMMACHINE_POOL_SIZE", 20),
    "timeout": positive("MEMMACHINE_POOL_TIMEOUT", 10),
    "max_waiting": positive("MEMMACHINE_POOL_WAITING", 200),
    # A server that is away is asked for at growing intervals, and afresh after this many seconds:
    # so it is found within a second or two of its return, however long it was away.
    "reconnect_timeout": 3,
}
HEALTH: dict[str, Any] = {"CONN_HEALTH_CHECKS": True, "CONN_MAX_AGE": 0}


def database(name: str) -> dict[str, Any] | None:
    """The database that a variable gives the address of."""
    if not (url := env.str(name, "")):
        return None
    try:
        found: dict[str, Any] = dict(dj_database_url.parse(url))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error
    if found["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured(f"{name}: a postgres:// address is wanted")
    return found | HEALTH | {"ENGINE": "memmachine.postgresql"}


primary = database("DATABASE_URL") or {
    "ENGINE": "memmachine.embedded",
    "NAME": "memmachine",
    "HOME": DATA_DIR / "postgres",
    **HEALTH,
}
primary["OPTIONS"] = {**primary.get("OPTIONS", {}), "pool": POOL}
DATABASES = {"default": primary}

# Where there is a replica, a memory's reads go to it (docs/scale.md). A read does not wait long
# for one that is gone, and a pool that has given up connects at once when it is asked again.
if replica := database("MEMMACHINE_REPLICA_URL"):
    replica["OPTIONS"] = {
        "connect_timeout": 2,
        **replica.get("OPTIONS", {}),
        "pool": POOL | {"timeout": min(2, POOL["timeout"]), "reconnect_timeout": 2},
    }
    replica["TEST"] = {"MIRROR": "default"}
    DATABASES["replica"] = replica
    DATABASE_ROUTERS = ["memmachine.routers.ReplicaRouter"]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_PARSER_CLASSES": ["memmachine.api.parsing.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "memmachine.api.parsing.AlwaysJson",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "memmachine.api.handlers.exception_handler",
    "NON_FIELD_ERRORS_KEY": "",  # no field is called so, and no property
}
SPECTACULAR_SETTINGS = {
    "TITLE": "MemMachine event memory",
    "VERSION": "1",
    "DESCRIPTION": (
        "A server that remembers for coding agents. Events land on a session's timeline; a query"
        " finds the moments, an expansion walks the timeline on from any segment it was shown."
    ),
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "OAS_VERSION": "3.1.0",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "ErrorCode": "memmachine.api.schema.ERROR_CODES",
        "BlockKind": "episodic.content.blocks.KIND_CHOICES",
        "InjectedSource": "episodic.content.blocks.INJECTED_SOURCES",
        "Style": "episodic.rendering.timestamps.STYLES",
    },
}

# What a tenant's memory is made with. A tenant names one entry of each; these name those of new
# tenants. The shape is that of Django's own CACHES.
EMBEDDERS = {
    "wordllama": {"BACKEND": "episodic.embedders.wordllama.WordLlamaEmbedder"},
    "hashing": {"BACKEND": "episodic.embedders.hashing.HashingEmbedder"},
}
RANKERS = {"similarity": {"BACKEND": "episodic.rankers.similarity.SimilarityRanker"}}
MEMMACHINE_EMBEDDER = env.str("MEMMACHINE_EMBEDDER", "wordllama")
MEMMACHINE_RANKER = env.str("MEMMACHINE_RANKER", "similarity")

# Whether `serve` builds indexes and purges by itself; else cron runs the commands that do.
MEMMACHINE_MAINTENANCE = env.str(
    "MEMMACHINE_MAINTENANCE",
    "on" if primary["ENGINE"] == "memmachine.embedded" else "off",
    validate=validate.OneOf(["on", "off"]),
)
# Above so many derivatives a tenant gets a vector index; below, a search is exact and as fast.
MEMMACHINE_VECTOR_INDEX_THRESHOLD = positive("MEMMACHINE_VECTOR_INDEX_THRESHOLD", 50_000)
# What PostgreSQL may use to build one; a million vectors of 256 dimensions want 1.5 GB.
MEMMACHINE_INDEX_MEMORY_MB = positive("MEMMACHINE_INDEX_MEMORY_MB", 2_048)

# The bounds of a request. Each refusal names the setting.
MEMMACHINE_MAX_BODY_BYTES = positive("MEMMACHINE_MAX_BODY_BYTES", 32 * 1024**2)
MEMMACHINE_MAX_JSON_DEPTH = positive("MEMMACHINE_MAX_JSON_DEPTH", 64)
MEMMACHINE_MAX_BATCH_EVENTS = positive("MEMMACHINE_MAX_BATCH_EVENTS", 1_000)
MEMMACHINE_MAX_EVENT_BLOCKS = positive("MEMMACHINE_MAX_EVENT_BLOCKS", 256)
MEMMACHINE_MAX_EVENT_PROPERTIES = positive("MEMMACHINE_MAX_EVENT_PROPERTIES", 64)
MEMMACHINE_MAX_BLOCK_BYTES = positive("MEMMACHINE_MAX_BLOCK_BYTES", 1024**2)
MEMMACHINE_MAX_PROPERTY_BYTES = positive("MEMMACHINE_MAX_PROPERTY_BYTES", 8 * 1024)
MEMMACHINE_MAX_CONTEXT_BYTES = positive("MEMMACHINE_MAX_CONTEXT_BYTES", 16 * 1024)
MEMMACHINE_MAX_QUERY_BYTES = positive("MEMMACHINE_MAX_QUERY_BYTES", 64 * 1024)
# A body is bounded before Django sees it (body_limit.py), and is in memory then: no spooling.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
DATA_UPLOAD_MAX_NUMBER_FIELDS = None
FILE_UPLOAD_MAX_MEMORY_SIZE = MEMMACHINE_MAX_BODY_BYTES

LOG_LEVEL = env.str(
    "MEMMACHINE_LOG_LEVEL", "INFO", validate=validate.OneOf(["DEBUG", "INFO", "WARNING", "ERROR"])
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "filters": {
        "no refusal": {
            "()": "django.utils.log.CallbackFilter",
            "callback": lambda record: getattr(record, "status_code", 500) == 500,
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["console"],
        "level": LOG_LEVEL,
    },
    "loggers": {
        # A refusal is an answer, not an event; only what is answered with 500 is logged.
        "django.request": {"level": "ERROR", "filters": ["no refusal"]},
        "django": {"handlers": [], "level": "INFO", "propagate": True},
    },
}
