"""Drawings and listings of a graph for people: DOT, HTML, GraphDef."""
