"""Validation: what pydantic finds wrong in data that a person wrote, as messages."""

from collections.abc import Sequence
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
NOT_SO = "{reason}, not {found}."
NOT_TOML = "is not valid TOML: {reason}."


class Mistake(TachographError, ValueError):  # noqa: N818 - one of several that pydantic gathers into its error
    """What a validator of ours finds wrong; pydantic adds the key."""


def mistake(found: ErrorDetails, model: type[BaseModel], key: str | None = None) -> Message:
    """One error of pydantic in the data of a model, with its key; of a wrong key with what is allowed.

    ``key``: how the key is told, if not as pydantic locates it.
    """
    of_its_name = found["loc"][-1:] == (OF_NAME,)
    location = found["loc"][:-1] if of_its_name else found["loc"]
    key = printable(".".join(map(str, location)) if key is None else key)
    # The values of which one was expected.
    listed = str(found.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ").split(", ")
    if found["type"] == MISSING:
        return Message(IS_MISSING, key=key)
    if found["type"] == UNKNOWN or (of_its_name and found["type"] in LITERAL):
        allowed = _allowed(model, found["loc"]) if found["type"] == UNKNOWN else listed
        if close := get_close_matches(str(location[-1]), allowed, 1):
            return Message(NEAREST_KEY, key=key, nearest=close[0])
        return Message(NOT_VALID, key=key, allowed=", ".join(allowed))
    stated, error = found["input"], found.get("ctx", {}).get("error")
    said = Message(found["msg"].rstrip(".") + ".")
    if isinstance(error, TachographError):
        said = error.message
    elif found["type"] in LITERAL and isinstance(stated, str) and (near := get_close_matches(stated, listed, 1)):
        said = Message(NEAREST_VALUE, found=repr(stated), nearest=near[0])
    elif isinstance(stated, str | int | float) and error is None:
        said = Message(NOT_SO, reason=found["msg"].rstrip("."), found=repr(stated))
    return Message(OF_KEY, key=key, said=_seen(said)) if key else _seen(said)


def _seen(said: Message) -> Message:
    """A message without what would act on a screen: its values may come from a file that anybody wrote."""
    values = {
        name: _seen(value) if isinstance(value, Message) else printable(value) for name, value in said.values.items()
    }
    return Message(said.key if values else printable(said.key), **values)


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
