"""The rows, theme by theme. A table is a module with `ROWS`: expressions, or statements."""
