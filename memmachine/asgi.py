"""The ASGI application that `manage.py serve` runs."""

import os

from django.core.asgi import get_asgi_application

from memmachine.body_limit import BodyLimit
from memmachine.front_door import FrontDoor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memmachine.settings")

application = FrontDoor(BodyLimit(get_asgi_application()))
