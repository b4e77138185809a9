"""Programs whose conditions and items are symbolic, construct by construct."""
