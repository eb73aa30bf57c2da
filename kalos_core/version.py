"""The version of the plugin; fiftyone.yml and CHANGELOG.md say the same."""

VERSION = "0.1.0"
