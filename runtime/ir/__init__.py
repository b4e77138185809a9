"""The representations: types, graphs, programs; their printer, verifier and visitor."""
