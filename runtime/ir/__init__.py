"""What the representations are made of: types, values, equations, programs; text and checks."""
