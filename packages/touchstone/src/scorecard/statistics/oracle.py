"""Numbers of SciPy that our own statistics are held against.

Run it with Python 3 and SciPy 1.17, from this folder; the tests only read the file it writes:

    python3 oracle.py > oracle.json && npx biome format --write oracle.json
"""

import json

import numpy as np
from scipy import optimize, stats

rng = np.random.default_rng(20240229)


def thirds(count):
    return (rng.integers(0, 4, count) - rng.integers(0, 4, count)) / 3


def sign_flip(differences):
    """Every assignment of signs, by the test for paired samples. Tasks that did not differ are left out, as ours are."""
    moved = np.array([value for value in differences if value != 0])
    result = stats.permutation_test(
        (moved,), np.sum, permutation_type="samples", alternative="less", n_resamples=np.inf
    )
    return {"differences": [float(value) for value in differences], "p": float(result.pvalue)}


def mcnemar(to_fail, to_pass):
    p = stats.binomtest(to_fail, to_fail + to_pass, 0.5).pvalue if to_fail + to_pass else 1.0
    return {"toFail": to_fail, "toPass": to_pass, "p": float(p)}


def power(pairs, noise, drop, tolerance):
    """Adds up the chances of every pair (falls, rises) that the rule calls real. Slow, and nothing to get wrong."""
    differs = min(1.0, noise + drop)
    falls, rises = np.meshgrid(np.arange(pairs + 1), np.arange(pairs + 1), indexing="ij")
    differing = falls + rises
    possible = differing <= pairs
    falls, rises, differing = falls[possible], rises[possible], differing[possible]
    real = (
        (differing >= 5)
        & (stats.binom.sf(falls - 1, differing, 0.5) < 0.05)
        & ((falls - rises) / pairs > tolerance + 1e-9)
    )
    counts = np.stack([falls, rises, pairs - differing], axis=-1)[real]
    chances = [(differs + drop) / 2, (differs - drop) / 2, 1 - differs]
    return float(stats.multinomial.pmf(counts, pairs, chances).sum())


def detectable(pairs, noise, tolerance):
    drop = optimize.brentq(lambda d: power(pairs, noise, d, tolerance) - 0.8, 1e-9, 1, xtol=1e-10)
    return {"pairs": pairs, "noise": noise, "tolerance": tolerance, "drop": drop}


def kappa_interval(table):
    """One label for each task. A table of counts with a quarter in each cell has Dirichlet weights, which SciPy draws."""
    draws = stats.dirichlet.rvs(np.array(table) + 0.25, size=400_000, random_state=7)
    tp, fp, fn, tn = draws.T
    kappas = 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
    return {"table": table, "interval": [float(end) for end in np.quantile(kappas, [0.025, 0.975])]}


print(
    json.dumps(
        {
            "signFlip": [
                sign_flip(differences)
                for differences in [
                    [-1, -1, -1, -1, -1],
                    [-1, -1, -1, -1, 1, 0, 0],
                    [-1 / 3, -2 / 3, 1 / 3, -1 / 3, -(1 - 2 / 3), 2 / 3 - 1],
                    [-0.25, 0.5, -0.75, -1, -0.5, 0.25, -0.25],
                    thirds(10),
                    thirds(16) - 1 / 3,
                    thirds(18) / 2,
                    rng.normal(-0.1, 0.2, 8),
                    rng.normal(-0.1, 0.2, 15),
                    rng.normal(0.05, 0.2, 16),
                    rng.normal(-0.05, 0.1, 18),
                ]
            ],
            "mcnemar": [
                mcnemar(*counts)
                for counts in [(0, 0), (1, 0), (5, 0), (0, 6), (4, 4), (9, 2), (30, 14), (120, 90), (2, 700)]
            ],
            "kappa": [
                kappa_interval(table)
                for table in [[20, 10, 5, 15], [3, 0, 0, 2], [45, 1, 2, 12], [200, 30, 20, 150], [9, 1, 0, 0]]
            ],
            "detectable": [
                detectable(*world)
                for world in [
                    (5, 0.0, 0.0),
                    (10, 0.0, 0.0),
                    (10, 0.05, 0.0),
                    (10, 0.2, 0.0),
                    (10, 0.05, 0.65),
                    (30, 0.0, 0.0),
                    (30, 0.2, 0.0),
                    (30, 1.0, 0.0),
                    (100, 0.05, 0.0),
                    (100, 0.2, 0.1),
                    (100, 0.2, 0.3),
                    (300, 0.05, 0.0),
                    (300, 0.5, 0.02),
                ]
            ],
        },
        indent=2,
    )
)
