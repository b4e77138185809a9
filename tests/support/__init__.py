"""What tests of several packages share: outcomes of calls, programs in files, sample graphs."""
