"""Training configurations, one YAML file each."""
