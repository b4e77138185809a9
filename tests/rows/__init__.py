"""What other tools' converters do with each construct, row by row; here every row has to work."""
