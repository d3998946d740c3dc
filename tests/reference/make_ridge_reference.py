#!/usr/bin/env python3
"""Writes ridge_mpmath.json: ridge problems that are hard for float64, with solutions by mpmath.

Every number of a matrix is a float64 number, and the solutions are those of these numbers. Needs mpmath.
"""

import json
import math
import pathlib
import random

import mpmath as mp

random.seed(5)


def normal(rows, columns):
    return [[random.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]


def powers(low, high, count):
    return [10.0 ** (low + (high - low) * i / (count - 1)) for i in range(count)]


def columns_times(a, factors):
    return [[value * f for value, f in zip(row, factors)] for row in a]


def rows_times(a, factors):
    return [[value * f for value in row] for row, f in zip(a, factors)]


def data(count, factor=1.0):
    return [random.gauss(0, 1) * factor for _ in range(count)]


def solve(a, d, c):
    """The x of minimal length that minimises |a x - d|^2 + c^2 |x|^2."""
    sizes = [abs(value) for row in a for value in row if value]
    if not sizes:
        return [0.0] * len(a[0])
    # Instead of 0, a c that lies far below every singular value.
    c = mp.mpf(c) if c else mp.mpf(min(sizes)) * mp.mpf(10) ** -60
    mp.mp.dps = int(90 + 4 * abs(mp.log10(max(sizes) / c)) + 4 * math.log10(max(sizes) / min(sizes)))
    m, b = mp.matrix(a), mp.matrix(d)
    wide = m.rows < m.cols
    gram = m * m.T if wide else m.T * m
    for i in range(gram.rows):
        gram[i, i] += c * c
    x = m.T * mp.lu_solve(gram, b) if wide else mp.lu_solve(gram, m.T * b)
    return [float(value) for value in x]


tall, n = normal(14, 6), 16
low_rank = mp.matrix([[random.randint(-5, 5) for _ in range(3)] for _ in range(10)]) * mp.matrix(
    [[random.randint(-5, 5) for _ in range(7)] for _ in range(3)]
)
empty = normal(12, 7)
empty[3] = [0.0] * 7
for row in empty:
    row[4] = 0.0
blur = [[0.125 * math.exp(-((i - j) ** 2) / 20.5) for j in range(n)] for i in range(n)]
wave = [math.sin(0.2 * i) + 1e-3 * math.cos(37.0 * i * i) for i in range(n)]

PROBLEMS = {
    "scaled columns": (columns_times(tall, powers(-6, 6, 6)), data(14), [0, 1e-4, 1e-2, 1, 100]),
    "widely scaled columns": (columns_times(tall, powers(-30, 30, 6)), data(14), [0, 1e-25, 1e-4, 1, 1e20]),
    "scaled rows": (rows_times(tall, powers(-8, 8, 14)), data(14), [0, 1e-9, 1e-4, 1, 1e4]),
    "rank-deficient": ([[float(v) for v in row] for row in low_rank.tolist()], data(10), [0, 1e-20, 1e-3, 1]),
    "smoothing": (blur, wave, [0, 1e-10, 1e-7, 1e-5, 1e-3, 1e-1, 1]),
    "empty rows and columns": (empty, data(12), [0, 1e-12, 1e-3, 1]),
    "large data": (tall, data(14, 1e170), [0, 0.1, 1]),
    "small data": (tall, data(14, 1e-170), [0, 0.1, 1]),
    "large matrix": (rows_times(tall, [1e155] * 14), data(14), [0, 1e99, 1e154, 1e156]),
    "small matrix": (rows_times(tall, [1e-155] * 14), data(14), [0, 1e-170, 1e-154, 1e-100]),
    "wide": (normal(5, 12), data(5), [0, 1e-20, 1e-6, 1, 100]),
    "tall": (normal(40, 3), data(40), [0, 1e-20, 1e-6, 1, 100]),
    "one column": (normal(12, 1), data(12), [0, 1e-20, 1, 100]),
    "one row": (normal(1, 12), data(1), [0, 1e-20, 1, 100]),
    "duplicate columns": ([row + row for row in normal(12, 4)], data(12), [0, 1e-20, 1e-9, 1e-3, 1]),
    "tiny coefficients": (tall, data(14), [1e-99, 1e-50, 1e-30, 1e-17]),
    "huge coefficients": (tall, data(14), [1e5, 1e30, 1e99]),
    "Hilbert": ([[1 / (i + j + 1) for j in range(9)] for i in range(9)], data(9), [0, 1e-14, 1e-8, 1e-4, 0.1]),
    "no data": (tall, [0.0] * 14, [0.1, 1]),
}

cases = [
    {"name": name, "a": a, "d": d, "c": c, "x": [solve(a, d, one) for one in c]}
    for name, (a, d, c) in PROBLEMS.items()
]
path = pathlib.Path(__file__).with_name("ridge_mpmath.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
