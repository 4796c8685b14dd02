"""Where the key to the pseudonyms of an anonymised check is stored: only its owner can read it."""

KEY = "pseudonyms.csv"
