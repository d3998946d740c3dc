"""The simulation."""

from __future__ import annotations

import json
import operator
import os
import pathlib
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Union

from stencilscope import _core, _notebook
from stencilscope._words import formula_text, json_object, path_text, setting_help, value_text, words_of

Path = Union[str, "os.PathLike[str]"]
#: The Python types that a setting accepts.
Setting = Union[str, float, bool, "os.PathLike[str]", type, Sequence[object], None]


class Fields(Mapping[str, Any]):
    """Maps component names to fields; a key may also be a formula of the model's names."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> Any:
        try:
            return self._simulation.field(name)
        except (TypeError, ValueError) as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation.components)

    def __len__(self) -> int:
        return len(self._simulation.components)

    def __contains__(self, name: object) -> bool:
        return name in self._simulation.components

    def __repr__(self) -> str:
        return f"Fields({', '.join(self)})"


class Simulation:
    """Steps the field, or the several fields, of a model.

    Arrays have the shape (ny, nx): rows, columns. `size` is (nx, ny) or "NXxNY", columns first, as on the command line.
    Units are the model's; in the model diffusion a cell has length 1 and a step takes time 1.

    Arguments:
        initial: the initial condition: an array of float32 or float64 from NumPy, CuPy or anything else with DLPack,
            with any strides, which is copied; or a text as for ``--initial``, such as "gaussian:sigma=0.2", a file or
            a formula of x and y; or a dictionary of either by component name. An array determines the size and,
            unless `dtype` is given, the precision.
        spec: the name of a ready run, a spec.json, or the dictionary `spec` of a simulation to begin with; settings
            override it.
        parameters: values of the model's parameters by name.
        settings: the settings of ``stencilscope run`` by name:

SETTINGS

    Raises ValueError for a setting, shape or value that is not allowed (NaN and infinite ones are not), TypeError for
    arrays of other types, such as integers, MemoryError where the field does not fit, RuntimeError where the machine
    fails.

    Threads may share a simulation: each call has it for itself, and Python's other threads run meanwhile. It can be
    pickled and copied with every bit, but does not outlive a fork.

    >>> sim = ss.Simulation("gaussian", coefficient=0.2, boundary="insulated", size=(64, 48))
    >>> sim.advance(100).shape
    (48, 64)
    >>> sim = ss.Simulation(equation="du/dt = D*lap(u); D = 0.2", initial={"u": "exp(-x^2)"}, size=32)
    >>> sim.parameters
    {'D': 0.2}
    """

    def __init__(
        self,
        initial: Any = None,
        *,
        spec: Path | Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        **settings: Setting,
    ) -> None:
        words = words_of(settings, parameters)
        arrays: dict[str, Any] = {}
        starts = initial if isinstance(initial, Mapping) else {"": initial}
        for name, start in starts.items():
            if not isinstance(name, str):
                raise TypeError(f"initial: the names of components are texts, not {type(name).__name__}")
            if start is None:
                continue
            if type(start).__name__ == "MaskedArray":
                raise TypeError("initial: a masked array: x.filled(value) says what its masked cells hold")
            if isinstance(start, (str, os.PathLike)):
                words.append(("initial", f"{name}={path_text(start)}" if name else path_text(start)))
            else:
                arrays[name] = start
        named = json.dumps(dict(spec)) if isinstance(spec, Mapping) else "" if spec is None else path_text(spec)
        self._held = _core.HeldSimulation(named, words, arrays)
        if {"", self.components[0]} <= {name for name, start in starts.items() if start is not None}:
            raise ValueError(f"initial: {self.components[0]} is given twice")
        self._warn()

    def _warn(self) -> None:
        """Warns of what the model's text or file has that is not as one might think."""
        for note in self._held.notes():
            warnings.warn(note, stacklevel=3)

    @classmethod
    def load(cls, folder: Path) -> Simulation:
        """Loads a checkpoint of `save` or ``stencilscope run --checkpoint N --out DIR``; further steps have the same bits.

        Raises FileNotFoundError if the folder does not exist, ValueError if it holds no checkpoint or a damaged one.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ss.Simulation("gaussian", size=32).advance(5).save(folder)
        ...     ss.Simulation.load(folder).step
        5
        """
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"{path_text(folder)}: there is no such folder")
        simulation = cls.__new__(cls)
        simulation._held = _core.HeldSimulation(path_text(folder))
        return simulation

    def save(self, folder: Path) -> None:
        """Writes a checkpoint to a folder, for `load` and ``stencilscope run --resume DIR``.

        An older checkpoint is replaced only when the new one is complete. Raises ValueError if the folder cannot be made,
        OSError if a file cannot be written.
        """
        self._held.write_checkpoint(path_text(folder))

    def advance(self, steps: int = 1, progress: Callable[[int, int], object] | bool | None = None) -> Simulation:
        """Makes exactly so many steps, and returns the simulation.

        `progress(done, steps)` is called about every 0.1 s; ``progress=True`` shows a bar of tqdm. Ctrl-C is checked as
        often and raises KeyboardInterrupt. After it, or after an exception of `progress`, the simulation is at the last
        step completed.

        Raises FloatingPointError if a field is no longer finite (NaN or infinite), unless the setting `allow_overflow` is
        true. So that this costs a few percent at most, it is looked at seldom: the simulation is then at the first such
        step of the call if memory holds a copy of the state, and the message says the step or the steps between.

        >>> ss.Simulation("gaussian", size=(64, 48)).advance(20).step
        20
        """
        if not isinstance(progress, bool) and progress is not None and not callable(progress):
            raise TypeError(f"advance: progress is a function of the steps done and all of them, not {type(progress).__name__}")
        steps = max(-(2**63), min(operator.index(steps), 2**63 - 1))
        with _notebook.progress_bar(steps) if progress is True else nullcontext(progress or None) as told:
            self._held.advance(steps, told)
        return self

    def run(
        self,
        until: float | str | None = None,
        *,
        steps: int | None = None,
        every: int | str | None = None,
        look: Callable[[Simulation], object] | None = None,
    ) -> Simulation:
        """Steps until t reaches a number, or until a condition is true, and returns the simulation.

        A condition is a formula of values of the whole field, ``"max(v) < 1e-3"``, or ``"steady:1e-6"``: the largest
        \\|du/dt\\| is below that. It is looked at in every step up to 100, each tenth up to 1000, then each hundredth. The
        last step before a time is shortened; maps (``u' = ...``) end at the nearest step. `steps` are the most to make.

        `look(simulation)` is called at each multiple of `every`: so many steps (``100``), so much t (``"0.5t"``) or time
        of the clock (``"90s"``, ``"10min"``). It ends the run by returning True. Raises FloatingPointError as `advance`
        does.

        >>> sim = ss.Simulation(equation="du/dt = -u; dt = 0.3; u(0) = 1", size=8)
        >>> sim.run(1).time
        1.0
        >>> sim.run("max(u) < 0.1").step
        8
        >>> times = []
        >>> sim.run(steps=10, every=5, look=lambda s: times.append(s.step)).step, times
        (18, [10, 15])
        """
        if until is None and steps is None:
            raise TypeError("run: until, a time or a condition, or steps say where the run ends")
        if (every is None) != (look is None):
            raise TypeError("run: every and look belong together")
        most = 10**12 if steps is None else max(-(2**63), min(operator.index(steps), 2**63 - 1))
        time = None if until is None or isinstance(until, str) else float(until)
        condition = until if isinstance(until, str) else ""
        watched = None if look is None else lambda: look(self)
        self._held.run(most, time, condition, "" if every is None else str(every), watched)
        return self

    def set(self, name: str, value: Setting) -> None:
        """Changes a parameter of the model or another setting from the next step on, as ``--at STEP:NAME=VALUE`` does.

        Raises ValueError, and changes nothing, if that is not allowed.

        >>> sim = ss.Simulation(model="gray-scott", size=64)
        >>> sim.set("F", 0.04)
        >>> sim.parameters["F"]
        0.04
        """
        words = [(name, value_text(name, value))] if name in self.parameters else words_of({name: value})
        if len(words) > 1 and words[0][0] == "equation":
            words = [("equation", "\n".join(text for _, text in words))]
        for word, text in words:
            self._held.set(word, text)
        if words and words[0][0] in ("model", "equation"):
            self._warn()

    def reset(self) -> None:
        """Returns to step 0 and the initial condition, with the present settings.

        >>> sim = ss.Simulation("gaussian", size=32).advance(5)
        >>> sim.reset()
        >>> sim.step
        0
        """
        self._held.reset()

    def field(self, formula: str = "", *, numpy: bool = False) -> Any:
        """Copies a component, or a formula of the model's names, into an array of shape (ny, nx) in the run's precision.

        An empty formula means the setting `show`, by default the first component. On the CPU, or with `numpy`, the
        result is a NumPy array; on CUDA it is an object with DLPack on the GPU, which ``cupy.from_dlpack()`` takes
        without a copy. Later steps do not change it. Raises ValueError for an invalid formula.

        >>> sim = ss.Simulation(model="gray-scott", size=(64, 48))
        >>> sim.field("u^2 + v", numpy=True).shape
        (48, 64)
        """
        return self._held.field(formula_text(formula), False, numpy)

    def laplacian(self, formula: str = "", *, numpy: bool = False) -> Any:
        """Returns north + south + east + west - 4 u of a field, as `field` does; divided by dx^2 for typed equations."""
        return self._held.field(formula_text(formula), True, numpy)

    @property
    def fields(self) -> Fields:
        """The components by name: ``sim.fields["v"]`` is ``sim.field("v")``.

        >>> ss.Simulation(model="gray-scott", size=32).fields
        Fields(u, v)
        """
        return Fields(self)

    def statistics(self, formula: str = "") -> dict[str, float]:
        """Returns min, max, mean and total of the finite cells, summed in float64, and the number of `not_finite` ones.

        >>> ss.Simulation(initial="x", equation="du/dt = lap(u)", size=(4, 2), dtype="float64").statistics()
        {'min': 0.5, 'max': 3.5, 'mean': 2.0, 'total': 16.0, 'not_finite': 0}
        """
        return self._held.statistics(formula_text(formula))

    def timings(self) -> dict[str, Any]:
        """Returns timings.json: device, method, seconds, us_per_step, gcells_per_s, field_hash ..."""
        return json_object(self._held.timings())

    def figure(self, path: Path) -> None:
        """Draws start, field and Laplacian of each component with axes and colour bars, as .png, .svg or .pdf.

        Raises ValueError for another ending, OSError if the file cannot be written.
        """
        self._held.write_figure(path_text(path))

    def plot(self, formula: str = "", ax: Any = None, **options: Any) -> Any:
        """Draws a component, or a formula, with matplotlib, and returns the axes.

        `ax` are the axes to draw into, else the current ones; `options` are those of ``Axes.imshow``, beside which the
        colours and their range are the settings `colormap` and `range`. Raises ImportError without matplotlib,
        ValueError for an invalid formula.
        """
        return _notebook.plot(self, self._held.image(formula_text(formula), 0), formula, ax, options)

    def widget(self, formula: str = "", steps: int = 10) -> Any:
        """Returns a live widget for notebooks: the field, sliders of the parameters, play, pause, step and reset.

        `formula` is a component or formula to show, `steps` are those of a frame. It steps this simulation, in this
        process: other cells see it where the widget has left it. Raises ImportError without anywidget.
        """
        from stencilscope._widget import SimulationWidget

        shown = formula_text(formula) or self.settings.get("show") or self.components[0]
        return SimulationWidget(self, shown, steps)

    def export(self, folder: Path, files: str | Sequence[str] = "default") -> list[str]:
        """Writes the files that ``--export`` names into a folder, which it makes, and returns their paths.

        Raises ValueError for an unknown name, OSError if a file cannot be written.
        """
        names = files.split(",") if isinstance(files, str) else list(files)
        return self._held.write_files(path_text(folder), names)

    @property
    def step(self) -> int:
        """The number of steps made."""
        return self._held.step()

    @property
    def time(self) -> float | None:
        """The time at this step: dt summed as it changed, times `unit_time`.

        >>> ss.Simulation(equation="du/dt = lap(u); dt = 0.125", size=32).advance(20).time
        2.5
        """
        return self._held.time()

    @property
    def settings(self) -> dict[str, Any]:
        """The present settings as in spec.json, with every default filled in."""
        return json_object(self._held.settings(False))

    @property
    def spec(self) -> dict[str, Any]:
        """The settings that repeat the run: those at its start and, under "at", the changes since. An initial array is
        named as the initial.npy that `export` writes."""
        return json_object(self._held.settings(True))

    @property
    def parameters(self) -> dict[str, float]:
        """The model's parameters now."""
        return self._held.parameters()

    @property
    def components(self) -> list[str]:
        """The names of the model's components."""
        return self._held.components()

    @property
    def shape(self) -> tuple[int, int]:
        """(ny, nx), the shape of the arrays."""
        nx, ny = map(int, self.settings["size"].split("x"))
        return ny, nx

    def __getstate__(self) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            files = pathlib.Path(folder, "checkpoint").iterdir()
            return {file.name: file.read_bytes() for file in files}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = pathlib.Path(folder, "checkpoint")
            checkpoint.mkdir()
            for name, content in state.items():
                if name != pathlib.PurePath(name).name or name == "..":
                    raise ValueError(f"{name!r}: a pickled simulation holds files by plain names")
                (checkpoint / name).write_bytes(content)
            self._held = _core.HeldSimulation(folder)

    def __repr__(self) -> str:
        now = self.settings
        return (
            f"<stencilscope.Simulation: {now.get('model', 'typed equations')}, {now['size']} {now['dtype']}, "
            f"{now['method']} on {now['backend']}, step {self.step}>"
        )

    def _repr_html_(self) -> str:
        return _notebook.as_html(self, self._held.picture())


Simulation.__doc__ = (Simulation.__doc__ or "").replace("SETTINGS", setting_help())
