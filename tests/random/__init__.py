"""Random programs: converted, traced and optimised, they do what plain Python does."""
