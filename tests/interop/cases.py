"""What the clients written in Python share: running cases and telling how they went."""
import sys
import traceback


class Failed(Exception):
    """A case found something other than it expected."""


def expect(found, wanted, what):
    if found != wanted:
        raise Failed(f"{what}: expected {wanted!r}, found {found!r}")


def run(client, cases):
    """Runs (name, function) pairs, prints a line each and a summary; returns the exit code."""
    passed = 0
    for name, case in cases:
        try:
            case()
        except Exception as error:  # a case may fail in any way; the others still run
            where = "" if isinstance(error, Failed) else traceback.format_exc(limit=-1)
            print(f"FAILED {name}: {error} {where}".rstrip())
        else:
            print(f"ok     {name}")
            passed += 1
        sys.stdout.flush()
    print(f"{client}: {passed} of {len(cases)} cases passed")
    return 0 if passed == len(cases) else 1
