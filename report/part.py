"""Parts of a page file: whatever a part does not know is a mistake, and nothing changes it once it is read."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a page file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
