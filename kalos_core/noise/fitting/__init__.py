"""Laws fitted to the differences of raters, one file for each, with their tests."""
