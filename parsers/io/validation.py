"""Validation: what pydantic finds wrong in data that a person wrote, as messages."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from .errors import TachographError
from .message import Message
from .printable import printable

MISSING, UNKNOWN = "missing", "extra_forbidden"
LITERAL = ("literal_error", "enum")  # of these values one was expected
OF_NAME = "[key]"  # how pydantic calls a mistake in the name of a key
OF_KEY = "{key}: {said}"
IS_MISSING = "{key} is missing."
NOT_VALID = "{key} is not a valid key; allowed keys: {allowed}."
NEAREST_KEY = "{key} is not a valid key; did you mean {nearest}?"
NEAREST_VALUE = "must not be {found}; did you mean {nearest}?"
NOT_TOML = "is not valid TOML: {reason}."
ONE_OF = "must be one of {expected}."
ONLY = "must be {expected}."
# What the rules that our models state are called by pydantic, and how a person is told that one is broken.
BROKEN: Mapping[str, str] = {
    "string_type": "must be a text.",
    "string_too_short": "must not be empty.",
    "string_pattern_mismatch": "must match the pattern {pattern}.",
    "bool_type": "must be true or false.",
    "int_type": "must be a whole number.",
    "int_parsing": "must be a whole number.",
    "int_parsing_size": "must be a whole number.",
    "int_from_float": "must be a whole number.",
    "float_type": "must be a number.",
    "float_parsing": "must be a number.",
    "finite_number": "must be a finite number.",
    "greater_than": "must be greater than {gt}.",
    "greater_than_equal": "must be at least {ge}.",
    "less_than": "must be less than {lt}.",
    "less_than_equal": "must be at most {le}.",
    "list_type": "must be a list.",
    "too_short": "must not be empty.",
    "too_long": "must have at most {max_length} entries.",
    "dict_type": "must be a table of keys and values.",
    "model_type": "must be a table of keys and values.",
}


class Mistake(TachographError, ValueError):  # noqa: N818 - one of several that pydantic gathers into its error
    """What a validator of ours finds wrong; pydantic adds the key."""


def mistake(found: ErrorDetails, model: type[BaseModel], key: str | None = None) -> Message:
    """One error of pydantic in the data of a model, with its key; of a wrong key with what is allowed.

    ``key``: how the key is told, if not as pydantic locates it.
    """
    of_its_name = found["loc"][-1:] == (OF_NAME,)
    location = found["loc"][:-1] if of_its_name else found["loc"]
    key = printable(".".join(map(str, location)) if key is None else key)
    if found["type"] == UNKNOWN:
        return _unknown_key(key, str(location[-1]), _allowed(model, found["loc"]))
    if found["type"] == MISSING:
        return Message(IS_MISSING, key=key)
    if of_its_name and found["type"] in LITERAL:
        return _unknown_key(key, str(location[-1]), _listed(found))
    said = _seen(broken_rule(found))
    return Message(OF_KEY, key=key, said=said) if key else said


def _unknown_key(key: str, name: str, allowed: Sequence[str]) -> Message:
    if close := get_close_matches(name, allowed, 1):
        return Message(NEAREST_KEY, key=key, nearest=close[0])
    return Message(NOT_VALID, key=key, allowed=", ".join(allowed))


def _seen(said: Message) -> Message:
    """A message without what would act on a screen: its values may come from a file that anybody wrote."""
    values = {
        name: _seen(value) if isinstance(value, Message) else printable(value) for name, value in said.values.items()
    }
    return Message(said.key, **values)


def broken_rule(found: ErrorDetails) -> Message:
    """The rule that a value breaks, without its key; of a rule that has no words here in those of pydantic."""
    values = found.get("ctx", {})
    if isinstance(error := values.get("error"), TachographError):
        return error.message
    if found["type"] in LITERAL:
        return _one_of(found["input"], _listed(found))
    if key := BROKEN.get(found["type"]):
        return Message(key, **values)
    return Message(found["msg"].rstrip(".") + ".")


def _listed(found: ErrorDetails) -> list[str]:
    """The values of which one was expected."""
    return str(found.get("ctx", {})["expected"]).replace("'", "").replace(" or ", ", ").split(", ")


def _one_of(stated: object, expected: Sequence[str]) -> Message:
    if close := get_close_matches(stated, expected, 1) if isinstance(stated, str) else []:
        return Message(NEAREST_VALUE, found=repr(stated), nearest=close[0])
    return Message(ONE_OF if len(expected) > 1 else ONLY, expected=", ".join(expected))


def _allowed(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """The keys of the part of a model that a wrong key stands in."""
    part: Any = model
    for step in location[:-1]:
        fields = part.model_fields if isinstance(part, type) and issubclass(part, BaseModel) else {}
        part = _model(fields[str(step)].annotation) if step in fields else part
    return [field.alias or name for name, field in part.model_fields.items()]


def _model(annotation: Any) -> Any:
    """The model inside an annotation such as ``list[Table]`` or ``dict[str, Column]``."""
    inner = [_model(argument) for argument in getattr(annotation, "__args__", ())]
    models = [a for a in (annotation, *inner) if isinstance(a, type) and issubclass(a, BaseModel)]
    return models[0] if models else annotation
