"""The solutions, one module per chapter, as readers see them."""
