"""The rows of the database, a module for each area of the bank."""
