"""Programs that call other packages, a module for each subject."""
