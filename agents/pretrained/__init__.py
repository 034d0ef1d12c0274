"""Trained players that come with the package, one safetensors file each; docs/MODELS.md describes them."""
