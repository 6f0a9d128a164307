"""Sealed vector indexes for large tenants.

An index holds a tenant's vectors up to some id and is never written to again, since a row that
is inserted into HNSW costs more than all the rest of its ingest. Newer rows are searched
exactly; when they have become many, or much was forgotten, a new index replaces the old.
"""
