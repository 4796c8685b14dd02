"""ROC-AUC and average precision of scores against labels; ties count as they stand in the definitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def roc_auc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Give the chance that a copy scores above a non-copy, ties counted half."""
    values, truth = np.asarray(scores, float), np.asarray(labels, bool)
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    copies, others = truth.sum(), (~truth).sum()
    return float((ranks[truth].sum() - copies * (copies + 1) / 2) / (copies * others))


def average_precision(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Give the mean of the precision over the copies, scores of one value taken together."""
    values, truth = np.asarray(scores, float), np.asarray(labels, bool)
    order = np.argsort(-values, kind="stable")
    values, truth = values[order], truth[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    found = np.cumsum(truth)[last]
    gained = np.diff(found, prepend=0)
    return float((gained * found / (last + 1)).sum() / truth.sum())
