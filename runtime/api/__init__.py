"""What users call in the functions that become graphs."""
