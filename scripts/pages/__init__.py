"""The generated pages, one file each."""
