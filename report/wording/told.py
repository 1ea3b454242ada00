"""Messages in one language: the one place where what code tells becomes a sentence."""

from collections.abc import Callable

from parsers.io.message import Message

Translate = Callable[[str], str]


def worded(message: Message, translate: Translate, shown: Translate = str) -> str:
    """A message in the language of ``translate``, which gives the text for a key of the catalogues.

    ``shown``: what makes a text safe where the sentence is to stand, such as the escapes of Markdown; the values go
    through it, the words of the message do not.
    """
    if not message.values:
        return translate(message.key)
    values = {name: shown(_said(value, translate)) for name, value in message.values.items()}
    return translate(message.key).format(**values)


def _said(value: str | Message, translate: Translate) -> str:
    return worded(value, translate) if isinstance(value, Message) else value
