"""Looking at a declared world: all its things as rows of whole numbers, kept from one look to the next."""
