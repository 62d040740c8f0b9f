"""The figures of a report, computed from the fixtures by code that is not ours."""
import fractions
import json
import math
import statistics

from programs import SOURCE

DATA = SOURCE / "tests" / "data" / "results"


def records(folder, server="fixture_nanopb"):
    path = DATA / "fixture_boards" / folder / f"{server}.fixture_payload.FixtureCall.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def rates(folder, server="fixture_nanopb"):
    """Verified calls per second of each repeat."""
    length, ok = {}, {}
    for record in records(folder, server):
        if record.get("name") == "window":
            length[record["repeat"]] = (record["stop_ns"] - record["start_ns"]) / 1e9
        if record["type"] == "count":
            ok[record["repeat"]] = record["ok_in_window"]
    return [ok[repeat] / length[repeat] for repeat in sorted(ok)]


# ---- statistics by another way: Student's t by integrating its density

def t_density(t, degrees):
    scale = math.gamma((degrees + 1) / 2) / math.sqrt(degrees * math.pi) / math.gamma(degrees / 2)
    return scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)


def t_within(limit, degrees, steps=20_000):
    """The probability of |t| <= limit, by Simpson's rule."""
    h = limit / steps
    total = t_density(0, degrees) + t_density(limit, degrees)
    total += sum((4 if i % 2 else 2) * t_density(i * h, degrees) for i in range(1, steps))
    return 2 * total * h / 3


def t95(degrees):
    low, high = 1.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, degrees, 2_000) < 0.95 else (low, middle)
    return low


def ratio_interval(base, other):
    """Welch's interval of the ratio of geometric means."""
    a, b = [math.log(v) for v in base], [math.log(v) for v in other]
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    degrees = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    half = t95(math.floor(degrees)) * math.sqrt(va + vb)
    middle = statistics.fmean(b) - statistics.fmean(a)
    return [math.exp(middle + d) for d in (0, -half, half)]


def percentile(folder, percent):
    """Nearest rank over the bins of all repeats; the highest value of its bin."""
    bins, highest = {}, 0
    for record in records(folder):
        if record["type"] == "hist":
            highest = max(highest, record["max_ns"])
            for low, count in record["bins"]:
                bins[low] = bins.get(low, 0) + count
    rank = math.ceil(fractions.Fraction(str(percent)) * sum(bins.values()) / 100)
    for low in sorted(bins):
        rank -= bins[low]
        if rank <= 0:
            return min(highest, low + (1 << max(0, low.bit_length() - 11)) - 1)
    return highest
