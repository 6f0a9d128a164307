"""What can go wrong with the embedded database."""


class EmbeddedPostgresError(Exception):
    """Said in one line: what cannot work, and what to do."""
