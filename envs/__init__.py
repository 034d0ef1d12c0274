"""Environments: rules, the compiled engine, and the interfaces over it.

Importing this makes ``pettingzoo.make("aec", "texas42_v0")`` work where PettingZoo has a registry.
"""


def _register() -> None:
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return
    if "texas42-v0" not in aec_registry:  # a second import of this module must not warn
        register("aec", "texas42_v0", entry_point="texas42.envs.aec:env")


_register()
