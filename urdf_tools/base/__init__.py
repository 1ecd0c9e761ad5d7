"""What every other room uses and no robot is in: errors, number text, words of names, files, processes."""
