"""Views of a graph for people: DOT, HTML boxes, GraphDef."""
