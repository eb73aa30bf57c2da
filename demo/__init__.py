"""A small data set that teaches the audit: smears, and six raters with habits."""
