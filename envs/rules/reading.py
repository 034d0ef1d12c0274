"""Reading text from strangers: YAML without surprises, and values shown in messages without harm."""

import re
import reprlib
from typing import Any

import yaml

MAX_CHARACTERS = 1_000_000


class ReadingError(ValueError):
    """Text that is no YAML of plain values; the message says where."""


def read_yaml(text: str) -> object:
    """The plain value a YAML text holds.

    ``1e-3`` is a number (YAML 1.1 wants ``1.0e-3``). Repeated keys, tags that name types, and aliases, with which a
    few lines can stand for a billion values, are refused.

    Raises:
        ReadingError: what is refused, or no YAML at all.
    """
    if len(text) > MAX_CHARACTERS:
        raise ReadingError(f"{len(text)} characters; at most {MAX_CHARACTERS} are read")
    try:
        return yaml.load(text, Loader=_Loader)
    except RecursionError:
        raise ReadingError("nested too deeply") from None
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ReadingError(f"not YAML of plain values: {error}") from error


def shown(value: object) -> str:
    """A value for a message: its `repr`, shortened where it is long, deep or huge."""
    try:
        text = _SHORT.repr(value)
    except (ValueError, RecursionError):  # Python prints no integer of more than 4300 digits
        return f"a huge {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:197]}..."


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8


class _Loader(yaml.SafeLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read; write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.YAMLError(f"the key {shown(key)} stands twice")
            seen.add(key)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {k: list(v) for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
_FLOAT = re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$")
for _first in "-+0123456789":
    _Loader.yaml_implicit_resolvers.setdefault(_first, []).insert(0, ("tag:yaml.org,2002:float", _FLOAT))
