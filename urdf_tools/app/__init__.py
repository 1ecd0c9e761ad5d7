"""The commands of the package: their options, their help, and what each of them runs."""
