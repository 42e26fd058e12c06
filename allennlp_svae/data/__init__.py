"""Domain types and file formats. Knows neither torch nor AllenNLP."""
