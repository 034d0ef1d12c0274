"""The rules as data: tiles, contracts, bids and presets."""
