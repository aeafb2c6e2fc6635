"""The way in: `python3 -m installer run | test`.

Knows only which Python is needed. It parses on Python 3.6, so that an old Python gets a sentence and not a traceback.
"""

import sys

OLDEST_PYTHON = (3, 11)


def main() -> int:
    """Exit status of the command on the command line; 1 where this Python is too old."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        print(
            "Keepsake needs Python 3.11 or newer, and this is {}.{}. "
            "Install a newer one, then start with it: python3.11 -m installer run".format(*sys.version_info[:2])
        )
        return 1
    from installer import commands

    return commands.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
