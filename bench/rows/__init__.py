"""The rows of the table: what is measured, what must agree, which mark is to be reached."""
