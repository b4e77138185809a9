"""A test for each row of what tf.function does: sections 1.1 to 1.11, 1.13 and 1.16."""
