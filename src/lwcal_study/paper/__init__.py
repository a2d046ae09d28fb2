"""The paper's study: its tasks, cells, tables, claims and reports."""
