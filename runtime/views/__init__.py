"""Views of a graph for people: DOT, HTML, GraphDef."""
