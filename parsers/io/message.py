"""Messages: what a person is told, as a key of the catalogues and values, put into words only where it is printed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Self


@dataclass(frozen=True, init=False, eq=False)
class Message:
    """What is told: the English text with names in braces, which is the key of the catalogues, and their values.

    A value that is to be said in each language, such as the name of a fact, is a message itself; any other is the same
    text in all. ``str`` words a message in English. A key without values is taken as it is, braces and all.
    ``plural``: the English text of a count other than 1, which ``of_count`` states; catalogues have a form for each.
    """

    key: str
    values: Mapping[str, "str | Message"]
    plural: str = ""
    count: int = 1

    def __init__(self, key: str, /, **values: object) -> None:
        texts = {name: value if isinstance(value, Message) else str(value) for name, value in values.items()}
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", texts)

    @classmethod
    def of_count(cls, count: int, singular: str, plural: str, /, **values: object) -> Self:
        """A message whose words depend on a count, which is its value ``count``."""
        made = cls(singular, count=count, **values)
        object.__setattr__(made, "plural", plural)
        object.__setattr__(made, "count", count)
        return made

    def __eq__(self, other: object) -> bool:
        """Whether both say the same; one of a kind that only its maker tells apart is read again as a message."""
        return isinstance(other, Message) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.key, *self.values.items()))

    def __str__(self) -> str:
        key = self.plural if self.plural and self.count != 1 else self.key
        return key.format(**self.values) if self.values else key


def joined(key: str, messages: Iterable[Message]) -> Message:
    """One message of several, at least one; ``key`` puts ``{first}`` and ``{second}`` together."""
    return reduce(lambda first, second: Message(key, first=first, second=second), messages)


def counted(count: int, noun: str) -> str:
    """A count and what it is of: ``1 record``, ``2 records``, ``3 addresses``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('s') else 's'}"
