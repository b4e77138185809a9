"""Tests of `runtime/control_flow/`."""
