"""A fixed selection of random problems of soak/; scripts/soak tries further ones."""

import pytest
from checks import check
from problems import Problem

PROBLEMS, PARTS = 45, 5


@pytest.mark.parametrize("part", range(PARTS))
def test_random_problems_have_one_set_of_bits_and_are_what_numpy_makes_of_them(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pictures are written there
    said = {}
    for seed in range(part, PROBLEMS, PARTS):
        print("scripts/soak --seed", seed, flush=True)
        said[seed] = check(Problem(seed, large=seed == 5), files=seed % 20 == 0)
    assert sum(text.startswith("refused") for text in said.values()) < PROBLEMS / PARTS / 4, said
    assert sum(text == "" for text in said.values()) > PROBLEMS / PARTS / 5, said
