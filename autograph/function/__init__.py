"""`@ag.function`: options, dispatch, the entry point."""
