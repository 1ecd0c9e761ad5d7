"""Arguments, questions, exit codes: the only room that prints."""
