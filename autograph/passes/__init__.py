"""The passes of the compiler: one file each, and a docstring that shows before and after."""
