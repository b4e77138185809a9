"""From a graph that writes arrays in place to one of values alone.

A graph by reference runs as it stands, as NumPy would. Who looks at values, such as a derivative
or an export, takes the graph by value: each write makes a new array, and where only the run knows
which array a variable stands for, an integer beside it says which.
"""
