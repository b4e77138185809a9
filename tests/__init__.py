"""The tests: programs, golden cases, tables, properties, and the house itself."""
