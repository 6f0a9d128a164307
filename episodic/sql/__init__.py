"""Statements that the ORM cannot say. Values are bound; what is composed is text of ours.

Three habits run through them. A row is looked up by its key inside a fence (`OFFSET 0`) and its
tenant checked outside: a planner that has not seen a tenant yet believes that it has one row,
and would rather scan all of them than use the key. A position is compared as a row value, which
is one range of the index where a chain of ORs is a scan. And where an index has to be used, the
rows are asked for in its order, while sorting is discouraged (`dense.OPEN`): no estimate is
asked then.
"""
