"""Parts of a page file: axes and cases, texts and blocks. Whatever a part does not know is a mistake."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from parsers.io.validation import Mistake

DIALECT = "https://json-schema.org/draft/2020-12/schema"  # of the published schemas
ENGLISH = "en"
LANGUAGE = r"[a-z]{2,3}(?:_[A-Z]{2})?"
_OF_EACH_LANGUAGE = 'must be a text, or one for each language, such as { en = "…", zh = "…" }.'
_IN_LANGUAGES: dict[str, Any] = {
    "type": "object",
    "patternProperties": {f"^{LANGUAGE}$": {"type": "string"}},
    "additionalProperties": False,
}


class PagePart(BaseModel):
    """A part of a page file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, strict=True)


# In the order of their values in an address.
Axis = Literal[
    "model",
    "framework",
    "device",
    "precision",
    "batch_size",
    "nodes",
    "cards",
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "data_parallel",
    "virtual_pipeline",
    "sequence_length",
    "micro_batch_size",
    "job_batch_size",
    "accumulation",
    "parameters",
    "recompute",
    "attention",
    "optimizer",
    "fp8_recipe",
    "data",
    "dali",
    "xla",
]
Circumstance = Literal["date", "framework_version", "cuda", "cudnn", "driver"]

# The axes that a launcher takes as variables of these names; the case of a cell says them.
Launched = Literal["nodes", "cards", "precision", "batch_size"]
LAUNCHED: tuple[Axis, ...] = get_args(Launched)
# Those that a launcher takes as well, where a case says them.
PASSED: tuple[Axis, ...] = ("accumulation", "sequence_length", "data", "dali", "xla")
REAL_DATA = "real"  # a value of the axis data: a data set that the launcher knows, so that none is named
# Those that say how the throughput of a card, or the time of a step, becomes that of the job.
SCALING: tuple[Axis, ...] = ("nodes", "cards", "batch_size")
# What the page may state for a log that does not: also what becomes the tokens and the operations of a step.
STATED: tuple[Axis, ...] = (*SCALING, "job_batch_size", "sequence_length", "parameters")
# What stands before the values of these axes in titles, where the page does not label them: TP2.
MARKED: Mapping[Axis, str] = {
    "sequence_length": "SEQ",
    "job_batch_size": "GBS",
    "micro_batch_size": "MBS",
    "accumulation": "GA",
    "tensor_parallel": "TP",
    "pipeline_parallel": "PP",
    "context_parallel": "CP",
    "expert_parallel": "EP",
    "data_parallel": "DP",
    "virtual_pipeline": "VP",
}
COUNTED: tuple[Axis, ...] = ("nodes", "cards", "batch_size", *MARKED)
PRECISIONS = ("fp32", "tf32", "amp", "fp16", "bf16", "fp8", "int8")  # that logs state, as a page writes them
# What a page says of a case and a log may say otherwise; models and devices are spelt too freely to compare.
COMPARED: tuple[Axis, ...] = (*LAUNCHED, *MARKED)


def _value(stated: object) -> object:
    if isinstance(stated, bool) or not isinstance(stated, int | str):
        raise Mistake("must be a whole number or a text.")
    return stated


def _sound(cases: dict[Axis, Any]) -> dict[Axis, Any]:
    """Cases whose counts are counts, and whose precisions are spelt as those of logs; raises Mistake."""
    for axis, stated in cases.items():
        for value in stated if isinstance(stated, list) else [stated]:
            if axis in COUNTED and (not isinstance(value, int) or value < 1):
                name = axis.replace("_", " ")
                raise Mistake(f"{name} is {value!r}; write a whole number, at least 1.")
            if axis == "precision" and value not in PRECISIONS and str(value).lower() in PRECISIONS:
                raise Mistake(f"precision is {value!r}; write {str(value).lower()!r}.")
    return cases


Value = Annotated[int | str, BeforeValidator(_value, json_schema_input_type=int | str)]
Case = Annotated[dict[Axis, Value], AfterValidator(_sound)]
Cases = Annotated[dict[Axis, Value | list[Value]], AfterValidator(_sound)]
Values = Annotated[dict[Axis, list[Value]], AfterValidator(_sound)]


def worded(case: Mapping[Axis, Any]) -> str:
    """A case as a mistake tells it."""
    return ", ".join(f"{axis} {value}" for axis, value in case.items()) or "any case"


def handed_on(stated: Any, parts: str, keys: Iterable[str]) -> Any:
    """A table of a page file as it is stated, whose ``parts`` have some of its keys unless they state their own."""
    if not (isinstance(stated, dict) and isinstance(stated.get(parts), list)):
        return stated
    shared = {key: stated[key] for key in keys if key in stated}
    return {**stated, parts: [{**shared, **one} if isinstance(one, dict) else one for one in stated[parts]]}


def with_only(names: Iterable[str]) -> Callable[[str], str]:
    """A check that a text has no braces but these plain names: a page is data and reaches into no object.

    The check returns the text, or raises Mistake.
    """
    allowed = set(names)

    def check(text: str) -> str:
        try:
            fields = list(Formatter().parse(text))
        except ValueError as error:
            said = f"{text!r} has a brace without its other half; write {{{{ or }}}} for a brace itself."
            raise Mistake(said) from error
        for _, name, form, conversion in fields:
            if name is not None and (name not in allowed or form or conversion):
                near = ", ".join(get_close_matches(name, allowed, 1) or sorted(allowed))
                raise Mistake(f"{{{name}}} cannot be used in {text!r}; {near} can.")
        return text

    return check


def _in_languages(stated: object) -> dict[str, str]:
    """A text in several languages by their codes, at least one; raises Mistake."""
    told = stated if isinstance(stated, dict) else {}
    if not (told and all(re.fullmatch(LANGUAGE, code) and isinstance(text, str) for code, text in told.items())):
        raise Mistake(_OF_EACH_LANGUAGE)
    return told


class Text(str):
    """A text of a page for its readers, in English; ``said``: what it is in other languages, by their codes.

    A page file states it as a text, or as a table with one for each language, in which none has braces.
    """

    said: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, stated: object) -> Self:
        """The text that a page file states; raises Mistake."""
        if isinstance(stated, cls):
            return stated
        if isinstance(stated, str):
            if not stated.strip():
                raise Mistake("must not be empty.")
            return cls(stated)
        texts = {**_in_languages(stated)}
        if ENGLISH not in texts:
            raise Mistake(_OF_EACH_LANGUAGE)
        if braced := next((text for text in texts.values() if "{" in text or "}" in text), None):
            raise Mistake(f"{braced!r} has braces, which a text in several languages cannot have.")
        text = cls(texts.pop(ENGLISH))
        text.said = texts
        return text

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(cls.of)

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, {**_IN_LANGUAGES, "required": [ENGLISH]}]}


Block = Annotated[
    dict[str, str],
    BeforeValidator(lambda stated: {ENGLISH: stated} if isinstance(stated, str) else _in_languages(stated)),
    WithJsonSchema({"anyOf": [{"type": "string"}, _IN_LANGUAGES]}),
]
