"""Writes the tables of Fabio Crameri and of cmocean: pip install cmcrameri==1.10 cmocean==4.0.3; python make_tables.py"""
from pathlib import Path

import cmcrameri.cm
import cmocean.cm

CRAMERI = ["batlow", "lapaz", "oslo", "lajolla", "vik", "berlin", "vikO"]
CMOCEAN = ["thermal", "haline", "ice", "balance"]

for package, names in ((cmcrameri.cm, CRAMERI), (cmocean.cm, CMOCEAN)):
    for name in names:
        colors = getattr(package, name).resampled(256)(range(256), bytes=True)
        text = "".join(f"{r},{g},{b}\n" for r, g, b, _ in colors)
        (Path(__file__).parent / f"{name}.csv").write_text(text)
