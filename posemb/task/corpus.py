"""Where a text comes from: a file of the user's, or one that every Python already has."""

from pathlib import Path

from posemb.errors import UsageError


def read_corpus(file: str | None) -> str:
    """The whole text of a UTF-8 file, its line ends as they are; None reads CPython's language reference.

    Raises:
        UsageError: the file is missing, a folder, unreadable, empty or not UTF-8.
    """
    if file is None:
        from pydoc_data.topics import topics

        return "".join(topics.values())
    try:
        corpus = Path(file).read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UsageError(f"task.file={file} does not exist: give the path of a UTF-8 text file.") from None
    except IsADirectoryError:
        raise UsageError(f"task.file={file} is a folder: give the path of one UTF-8 text file.") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"task.file={file} is not UTF-8 text (byte {error.start}): convert it, for example with iconv -t UTF-8."
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise UsageError(f"task.file={file} cannot be read ({error}): give the path of a UTF-8 text file.") from None
    if not corpus:
        raise UsageError(f"task.file={file} is empty: give a UTF-8 text file with something in it.")
    return corpus
