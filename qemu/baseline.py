#!/usr/bin/env python3
"""Compares instructions per request with qemu/baseline, or writes that file anew.

usage: baseline.py check|renew BASELINE RESULT...

RESULT are files of emulated runs. `check` fails beyond the tolerance, up or down: what got better is
to be written down too. Exit codes as bench-edge's: 0 ok, 1 failed, 2 usage, 4 a count has moved; and
77 where nothing can be compared: by another compiler, or without the plugin.
"""
import json
import pathlib
import sys

TOLERANCE = 0.5  # percent; two runs of one binary differ by a hundredth of that
HEAD = """\
# Guest instructions per request, by board, server, scenario and call, counted under QEMU.
# scripts/baseline.sh writes this file; scripts/baseline.sh check compares with it, to {} %.
""".format(TOLERANCE)


class Failed(Exception):
    code = 1


class NotComparable(Failed):
    code = 77


def read_result(path):
    """(board, server, scenario, call) and instructions per request; the compiler of that board."""
    instructions = calls = 0
    ended = False
    for line in pathlib.Path(path).read_text().splitlines():
        record = json.loads(line)
        kind = record["type"]
        if kind == "run":
            run = record
        elif kind == "board":
            board = record["id"]
        elif kind == "build" and record["program"] == "server":
            compiler = record["compiler"]
        elif kind == "interval" and record["name"] == "load":
            if record.get("instructions") is None:
                raise NotComparable(f"{path}: instructions were not counted")
            instructions += record["instructions"]
            calls += record["ok"]
        elif kind == "end":
            ended = True
    if not ended or not calls or not run["emulated"]:
        raise Failed(f"{path}: expected a whole emulated run with verified calls")
    return (board, run["server"], run["scenario"], run["call"]), instructions / calls, compiler


def read_baseline(path):
    counts, compilers = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if line.startswith("compiler ") and len(words) > 2:
            compilers[words[1]] = " ".join(words[2:])
        elif len(words) == 5 and words[4].isdigit():
            counts[tuple(words[:4])] = int(words[4])
        elif line and not line.startswith("#"):
            raise Failed(f"{path}:{number}: expected board, server, scenario, call, instructions")
    return counts, compilers


def check(path, found, compilers):
    counts, known = read_baseline(path)
    moved = 0
    for board, compiler in sorted(compilers.items()):
        if known.get(board, compiler) != compiler:
            raise NotComparable(f"{board}: the baseline is of {known[board]}, these servers are "
                                f"of {compiler}: counts of different compilers do not compare")
    for key, count in sorted(found.items()):
        change = 100 * (count / counts[key] - 1) if key in counts else None
        verdict = "not in the baseline" if change is None else f"{change:+.2f} %"
        if change is None or abs(change) > TOLERANCE:
            moved += 1
            verdict += " BEYOND THE TOLERANCE" if change is not None else ""
        print("{:10} {:22} {:14} {:14} {:9.0f} ".format(*key, count) + verdict)
    for key in sorted(k for k in counts if k not in found and k[0] in compilers):
        moved += 1
        print("{:10} {:22} {:14} {:14}         - not measured".format(*key))
    if moved:
        print(f"{moved} of {len(found)} differ from {path} by more than {TOLERANCE} %. If that is "
              "meant, scripts/baseline.sh renews it.", file=sys.stderr)
    return 4 if moved else 0


def renew(path, found, compilers):
    counts, known = read_baseline(path) if path.exists() else ({}, {})
    counts = {k: v for k, v in counts.items() if k[0] not in compilers} | found
    lines = [f"compiler {board} {compiler}" for board, compiler in sorted((known | compilers).items())]
    lines += ["{} {} {} {} {:.0f}".format(*key, count) for key, count in sorted(counts.items())]
    path.write_text(HEAD + "\n".join(lines) + "\n")
    return 0


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("check", "renew"):
        print(__doc__, file=sys.stderr)
        return 2
    found, compilers = {}, {}
    try:
        for path in arguments[2:]:
            key, count, compiler = read_result(path)
            found[key] = count
            if compilers.setdefault(key[0], compiler) != compiler:
                raise Failed(f"{key[0]}: results of different compilers, {compilers[key[0]]} and "
                             f"{compiler}")
        return {"check": check, "renew": renew}[arguments[0]](pathlib.Path(arguments[1]), found,
                                                              compilers)
    except (Failed, OSError, ValueError, KeyError) as error:
        print(f"baseline.py: {error}", file=sys.stderr)
        return getattr(error, "code", 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
