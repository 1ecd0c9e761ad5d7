"""The passes that carry out a plan on a document; nothing is decided here."""
