"""Operations of models: how many a page says that each of its models needs for a token or a sample."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from parsers.io.validation import Mistake

from ..measure.operations import Formula, arithmetic
from .parts import Case, Cases, PagePart, covers
from .publications import WebAddress

ONE_FORMULA = "model_flops needs exactly one of per_token and per_sample."


def _arithmetic(text: str) -> str:
    arithmetic(text)
    return text


Arithmetic = Annotated[str, AfterValidator(_arithmetic)]


class ModelFlops(PagePart):
    """How many floating-point operations a model needs for a token or a sample, forward and backward: what `mfu` and
    `tflops_per_card` are computed from where a log does not print TFLOP/s."""

    when: Cases = Field(default_factory=dict)
    """The cases that it covers, by axis, such as `{ model = "Llama 3 8B" }`; an omitted axis allows all."""
    per_token: Arithmetic | None = None
    """A formula such as `"6*parameters + 12*layers*hidden_size*sequence_length"`: numbers and names, with `+ - * / **`
    and parentheses. A name is that of a fact of the run, such as `parameters` or `sequence_length`, or of one of
    `numbers`."""
    per_sample: Arithmetic | None = None
    """The same for a sample or an image."""
    numbers: dict[str, float] = Field(default_factory=dict)
    """Numbers that the formula names and no log states, such as `{ layers = 32 }`."""
    source: WebAddress
    """Address of the publication that the formula is from."""

    @model_validator(mode="after")
    def _has_one_formula(self) -> "ModelFlops":
        if (self.per_token is None) == (self.per_sample is None):
            raise Mistake(ONE_FORMULA)
        return self

    def covers(self, case: Case) -> bool:
        """Whether it is of a case."""
        return covers(self.when, case)

    @property
    def formula(self) -> Formula:
        """The formula."""
        if self.per_token is not None:
            return Formula(self.per_token, "token", self.source, self.numbers)
        return Formula(self.per_sample or "", "sample", self.source, self.numbers)
