"""Derivatives of what was recorded: reverse and forward mode, from equations to equations."""
