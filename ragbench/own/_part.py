"""A part of the user's own at work: made once, called under guard, blamed by file and line."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ragbench.errors import OwnPartError, RagbenchError, SpecError
from ragbench.own._code import Code, load_code
from ragbench.spec import ComponentSpec

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """A class or function of the user's own, with the arguments that its spec gives.

    Args:
        kind: what it is to be, singular.
        spec: its canonical spec, the digest of its file behind the name.
        code: what was loaded.
    """

    kind: str
    spec: ComponentSpec
    code: Code = field(compare=False, repr=False)

    @classmethod
    def load(cls, kind: str, spec: ComponentSpec, known: str) -> Part:
        """Load what a spec names.

        Raises:
            UsageError: there is no such code, it does not load, or it has changed.
        """
        code = load_code(spec.name, kind, known)
        name = f"{code.place}:{code.name}@{code.digest}"
        return cls(kind, ComponentSpec(name, spec.args), code)

    @property
    def name(self) -> str:
        """As it was named, without the digest."""
        return f"{self.code.place}:{self.code.name}"

    def offers(self, method: str) -> bool:
        """Whether it is a class with such a method."""
        target = self.code.target
        return inspect.isclass(target) and callable(getattr(target, method, None))

    def require(self, methods: tuple[str, ...], protocol: str, *, function: bool = False) -> None:
        """Refuse what lacks a method.

        Args:
            methods: all that are needed.
            protocol: what is expected, for the message.
            function: a plain function will do, too.

        Raises:
            OwnPartError: it is neither a class with these methods nor, where allowed, a function.
        """
        if function and inspect.isfunction(self.code.target):
            return
        missing = [method for method in methods if not self.offers(method)]
        if missing:
            self.refuse(self.code.target, f"has no method {missing[0]!r}. {protocol}")

    def attribute(self, name: str, default: Any) -> Any:  # noqa: ANN401
        """An attribute of the class or function, as a declaration about it."""
        return getattr(self.code.target, name, default)

    def make(self, *given: object) -> Any:  # noqa: ANN401
        """The object, made of what is given and the spec's arguments; a function stays what it is.

        What is given is left out when the constructor has no room for it.

        Raises:
            SpecError: the constructor takes no such argument.
            OwnPartError: it raised.
        """
        target = self.code.target
        if not inspect.isclass(target):
            if self.spec.args:
                raise SpecError(f"{self.name} is a function and takes no arguments in its spec.")
            return target
        arguments = dict(self.spec.args)
        given = given if _takes(target, len(given), arguments) else ()
        try:
            inspect.signature(target).bind(*given, **arguments)
        except TypeError as error:
            raise SpecError(
                f"The {self.kind} {self.name} cannot be made of {arguments or 'no arguments'}: "
                f"{error} ({where(target)})."
            ) from error
        except ValueError:  # a class of an extension module tells nothing
            pass
        with self.guard("__init__"):
            return target(*given, **arguments)

    def method(self, name: str, *given: object) -> Callable[..., Any]:
        """The method of a new object, or the function itself; see `make`."""
        made = self.make(*given)
        found: Callable[..., Any] = made if inspect.isfunction(made) else getattr(made, name)
        return found

    @contextmanager
    def guard(self, method: str) -> Iterator[None]:
        """Whatever the user's code raises inside becomes an `OwnPartError` with file and line."""
        try:
            yield
        except RagbenchError:
            raise
        except Exception as error:
            raise OwnPartError(
                f"The {self.kind} {self.name} raised {type(error).__name__} in {method}: {error} "
                f"({self._raised_at(error)})."
            ) from error

    def refuse(self, culprit: Any, problem: str) -> NoReturn:  # noqa: ANN401
        """Say what is wrong with what it is or returned.

        Args:
            culprit: the class, method or function to point at.
            problem: the rest of the sentence, beginning with a verb.

        Raises:
            OwnPartError: always.
        """
        raise OwnPartError(f"The {self.kind} {self.name} ({where(culprit)}) {problem}")

    def _raised_at(self, error: Exception) -> str:
        """The innermost line of the user's own file, and the line that raised where they differ."""
        frames = traceback.extract_tb(error.__traceback__)
        own_file = _file_of(self.code.target)
        own = [frame for frame in frames if frame.filename == own_file]
        shown = [own[-1] if own else frames[-1]]
        if frames[-1] is not shown[0]:
            shown.append(frames[-1])
        return ", from ".join(f"{Path(f.filename).name}, line {f.lineno}" for f in shown)


def _takes(target: type, n: int, arguments: dict[str, Any]) -> bool:
    """Whether the constructor has room for n positional arguments besides the named ones."""
    try:
        parameters = inspect.signature(target).parameters.values()
    except ValueError:
        return True
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return True
    free = [
        one
        for one in parameters
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        and one.name not in arguments
        and one.default is one.empty
    ]
    return len(free) >= n


def where(culprit: Any) -> str:  # noqa: ANN401
    """File and line of a class, method or function, for messages."""
    culprit = inspect.unwrap(culprit) if callable(culprit) else type(culprit)
    try:
        file = inspect.getsourcefile(culprit) or inspect.getfile(culprit)
        return f"{Path(file).name}, line {inspect.getsourcelines(culprit)[1]}"
    except (OSError, TypeError):
        return getattr(culprit, "__module__", "without source")


def _file_of(target: Any) -> str | None:  # noqa: ANN401
    try:
        return inspect.getfile(target)
    except (OSError, TypeError):
        return None
