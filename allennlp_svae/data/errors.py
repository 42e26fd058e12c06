"""The one error that reading a user's data raises."""

from typing import Optional


class DataError(ValueError):
    """
    Something in the user's data that cannot be used, said so that it can be mended.

    # Parameters

    problem : `str`
        What is wrong.
    path : `str`, optional (default = `None`)
        The file it is wrong in.
    line : `int`, optional (default = `None`)
        The line of that file, counted from 1.
    remedy : `str`, optional (default = `None`)
        What the user should do about it.
    """

    def __init__(
        self,
        problem: str,
        path: Optional[str] = None,
        line: Optional[int] = None,
        remedy: Optional[str] = None,
    ) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        self.remedy = remedy
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(f"{where}{problem}" + (f" Remedy: {remedy}" if remedy else ""))
