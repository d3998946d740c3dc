"""The simulation."""

from __future__ import annotations

import json
import numbers
import operator
import os
import pathlib
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Union, overload

import numpy

from stencilscope import _core, _notebook
from stencilscope._arrays import parts_of
from stencilscope._words import (
    formula_text,
    json_object,
    needed,
    path_text,
    setting_help,
    settings_of,
    signature,
    simulation_words,
    value_text,
    words_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from stencilscope._settings import Settings

Path = Union[str, "os.PathLike[str]"]
#: The Python types that a setting accepts.
Setting = Union[str, float, bool, "os.PathLike[str]", type, Sequence[object], None]


#: More steps than any run makes.
_MOST = 10**12


class _NoField(KeyError):
    def __str__(self) -> str:  # a KeyError's would quote it, with line breaks as \n
        return str(self.args[0])


class Fields(Mapping[str, Any]):
    """Maps component names to fields; a key may also be a formula of the model's names.

    Assigning an array, a number or a formula gives a component new values: a change of the run, which `spec`,
    checkpoints and repetitions have.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> Any:
        try:
            return self._simulation.field(name)
        except (TypeError, ValueError) as error:
            raise _NoField(str(error)) from None

    def __setitem__(self, name: str, value: Any) -> None:
        self._simulation._assign(name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation.components)

    def __len__(self) -> int:
        return len(self._simulation.components)

    def __contains__(self, name: object) -> bool:
        simulation = self._simulation
        return isinstance(name, str) and (simulation._complex_parts(name) is not None or simulation._held.reads(name))

    def __repr__(self) -> str:
        return f"Fields({', '.join(self)})"


class Parameters(Mapping[str, float]):
    """The model's parameters by name; assigning one sets it from the next step on."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        return self._simulation._held.parameters()[name]  # type: ignore[no-any-return]

    def __setitem__(self, name: str, value: float) -> None:
        if name not in self:
            raise KeyError(f"{name}: the model's parameters are {', '.join(self) or 'none'}")
        self._simulation.set(name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._held.parameters())

    def __len__(self) -> int:
        return len(self._simulation._held.parameters())

    def __repr__(self) -> str:
        return repr(dict(self))


class Frames(dict[str, Any]):
    """Fields at several times: "time" and "step", and by the name of each formula an array of shape (frames, ny, nx)."""

    def __init__(self, simulation: Simulation, names: Sequence[str]) -> None:
        super().__init__({"time": [], "step": [], **{name: [] for name in names}})
        self._simulation, self._names = simulation, names

    def _fill(self, frames: Iterator[Simulation]) -> Frames:
        for now in frames:
            for name, value in (("time", now.time), ("step", now.step), *((name, now.field(name, numpy=True)) for name in self._names)):
                self[name].append(value)
        self.update({name: numpy.array(values) for name, values in self.items()})
        return self

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset with the coordinates time, y and x. Raises ImportError without xarray."""
        return self._simulation._dataset({name: self[name] for name in self._names}, {"time": self["time"], "step": ("time", self["step"])})


class Simulation:
    """Steps the field, or the several fields, of a model.

    Arrays have the shape (ny, nx): rows, columns. `size` is (nx, ny) or "NXxNY", columns first, as on the command line.
    Units are the model's; in the model diffusion a cell has length 1 and a step takes time 1.

    Arguments:
        initial: the initial condition: an array, which is copied; or a text as for ``--initial``, such as
            "gaussian:sigma=0.2", a file or a formula of x and y; or a dictionary of either by component name. Arrays
            are those of NumPy, CuPy, PyTorch, xarray, pandas, dask, anything else with ``__array__``, DLPack or
            ``__cuda_array_interface__``, and lists of rows: of float32 or float64, and of other types where nothing
            is lost. An array of complex numbers is for a complex component. An array determines the size and, unless
            `dtype` is given, the precision.
        spec: the name of a ready run, a spec.json, or the dictionary `spec` of a simulation to begin with; settings
            override it.
        parameters: values of the model's parameters by name.
        arrays: arrays by the names under which the equation has them: coefficients, winds, masks of a shape ...; one
            replaces a parameter of the same name.
        settings: the settings of ``stencilscope run`` by name:

SETTINGS

    Raises ValueError for a setting, shape or value that is not allowed (NaN and infinite ones are not), TypeError for
    arrays of what float64 cannot hold, MemoryError where the field does not fit, RuntimeError where the machine fails.

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
        arrays: Mapping[str, Any] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        words = simulation_words(settings, parameters)
        words, kept = _with_arrays(words, arrays or {})  # `kept` holds them until the simulation does
        given: dict[str, Any] = {}
        starts = initial if isinstance(initial, Mapping) else {"": initial}
        for name, start in starts.items():
            if not isinstance(name, str):
                raise TypeError(f"initial: the names of components are texts, not {type(name).__name__}")
            if start is None:
                continue
            if isinstance(start, (str, os.PathLike)):
                words.append(("initial", f"{name}={path_text(start)}" if name else path_text(start)))
                continue
            real, imaginary = parts_of(start, f"initial {name}".strip())
            if imaginary is None:
                given[name] = real
            else:
                given[f"{name}_re" if name else ""], given[f"{name}_im"] = real, imaginary
        named = json.dumps(dict(spec)) if isinstance(spec, Mapping) else "" if spec is None else path_text(spec)
        try:
            self._held = _core.HeldSimulation(named, words, given)
        except ValueError as error:
            if spec is not None and "initial" in str(error) and ".npy: " in str(error):
                raise ValueError(f"{error}; a run that began with arrays takes them again: Simulation(u0, spec=...)") from None
            raise
        del kept
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
        try:
            simulation._held = _core.HeldSimulation(path_text(folder))
        except ValueError as error:
            told = str(error).replace("'run --out DIR --checkpoint N' writes them", "save() writes one")
            raise ValueError(told.replace("resume: ", "load: ", 1)) from None
        return simulation

    def save(self, folder: Path) -> None:
        """Writes a checkpoint to a folder, for `load` and ``stencilscope run --resume DIR``.

        An older checkpoint is replaced only when the new one is complete. Raises ValueError if the folder cannot be made,
        OSError if a file cannot be written.
        """
        self._held.write_checkpoint(path_text(folder))

    @overload
    def advance(
        self,
        steps: float | None = None,
        progress: Callable[[int, int], object] | bool | None = None,
        *,
        until: float | str | None = None,
        steady: float | None = None,
    ) -> Simulation: ...

    @overload
    def advance(
        self,
        steps: float | None = None,
        progress: None = None,
        *,
        until: float | str | None = None,
        steady: float | None = None,
        every: float | str,
    ) -> Iterator[Simulation]: ...

    @overload
    def advance(
        self,
        steps: float | None = None,
        progress: None = None,
        *,
        until: float | str | None = None,
        steady: float | None = None,
        every: float | str,
        store: str | Sequence[str],
    ) -> Frames: ...

    def advance(
        self,
        steps: float | None = None,
        progress: Callable[[int, int], object] | bool | None = None,
        *,
        until: float | str | None = None,
        steady: float | None = None,
        every: float | str | None = None,
        store: str | Sequence[str] | None = None,
    ) -> Any:
        """Makes exactly so many steps, by default one, and returns the simulation; or steps until something is so.

        `until` is a time, or a condition as in `run`; `steady=1e-6` is the condition that the largest \\|du/dt\\| is below
        that. `steps` are then the most to make.

        With `every` it is an iterator, which steps and gives the simulation at each multiple of so much t (of so many
        steps, where `steps` alone says the end), or at the first step behind it, since frames change no step; a text says
        its unit: ``"100"``, ``"0.5t"``, ``"10min"``. Step 0 is the first. `store` names components or formulas instead,
        whose fields at these times it returns, as `Frames`.

        `progress(done, steps)` is called about every 0.1 s; ``progress=True`` shows a bar of tqdm. Ctrl-C is checked as
        often and raises KeyboardInterrupt. After it, or after an exception of `progress`, the simulation is at the last
        step completed.

        Raises FloatingPointError if a field is no longer finite (NaN or infinite), unless the setting `allow_overflow` is
        true; then a RuntimeWarning says so once. So that this costs a few percent at most, it is looked at seldom: the
        simulation is then at the first such step of the call if memory holds a copy of the state, and the message says the
        step or the steps between.

        >>> ss.Simulation("gaussian", size=(64, 48)).advance(20).step
        20
        >>> sim = ss.Simulation(equation="du/dt = -u; dt = 0.25; u(0) = 1", size=8)
        >>> [now.time for now in sim.advance(until=1, every=0.5)]
        [0.0, 0.5, 1.0]
        >>> sim.advance(until=2, every=0.5, store="u")["u"].shape
        (2, 8, 8)
        >>> sim.advance(steady=0.05).statistics()["max"] < 0.05
        True
        """
        by_steps = until is None and steady is None
        if steady is not None and until is not None:
            raise TypeError("advance: until or steady, not both")
        if store is not None and every is None:
            raise TypeError("advance: every says when store takes a frame")
        if progress is not None and not (by_steps and every is None):
            raise TypeError("advance: progress is told the steps of steps: a loop over every=... sees the others")
        if not isinstance(progress, bool) and progress is not None and not callable(progress):
            raise TypeError(f"advance: progress is a function of the steps done and all of them, not {type(progress).__name__}")
        if by_steps and every is None:
            count = 1 if steps is None else _count(steps, "advance: steps")
            with _notebook.progress_bar(count) if progress is True else nullcontext(progress or None) as told:
                self._held.advance(count, told)
            return self
        end: float | str | None = until if steady is None else f"steady:{float(steady)!r}"
        if every is None:
            return self.run(end, steps=None if steps is None else _count(steps, "advance: steps"))
        if isinstance(every, (bool, str)) or not isinstance(every, numbers.Real):
            each = str(every)
        else:
            each = str(_count(every, "advance: every")) if by_steps else f"{float(every)!r}t"
        if by_steps and steps is None:
            raise TypeError("advance: steps, until or steady says where it ends")
        frames = self._frames(_MOST if steps is None else _count(steps, "advance: steps"), end, each)
        if store is None:
            return frames
        return Frames(self, [store] if isinstance(store, str) else list(store))._fill(frames)

    def _frames(self, most: int, end: float | str | None, every: str) -> Iterator[Simulation]:
        time, condition = (None, end) if isinstance(end, str) else (None if end is None else float(end), "")
        last = self.step + most
        if self.step == 0:
            yield self
        while self._held.run(max(last - self.step, 0), time, condition, every, lambda: True) == "look":
            yield self

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
        most = _MOST if steps is None else _count(steps, "run: steps")
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
        words = [(name, value_text(name, value))] if name in self._held.parameters() else words_of({name: value})
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

    def _complex_parts(self, name: str) -> tuple[str, str] | None:
        """The components that are the real and the imaginary part of a complex one of this name."""
        parts = f"{name}_re", f"{name}_im"
        return parts if set(parts) <= set(self.components) else None

    def _assign(self, name: str, value: Any) -> None:
        parts = self._complex_parts(name)
        if parts is None and name not in self.components:
            raise _NoField(f"{name}: the components are {', '.join(self.components)}")
        if isinstance(value, numbers.Real):
            value = repr(float(value))
        elif isinstance(value, numbers.Complex):
            value = f"{value.real!r} + {value.imag!r}*1i"
        if isinstance(value, str) and parts is None:
            self._held.set_field(name, value)
            return
        if isinstance(value, str):
            real, imaginary = (self.field(f"{part}({value})", numpy=True) for part in ("real", "imag"))
        else:
            real, imaginary = parts_of(value, name)
        if parts is None and imaginary is not None:
            raise TypeError(f"{name}: complex numbers, and {name} is real: x.real is the real part")
        self._held.set_array(parts[0] if parts else name, real)
        if parts:
            self._held.set_array(parts[1], numpy.zeros(self.shape) if imaginary is None else imaginary)

    def field(self, formula: str = "", *, numpy: bool = False) -> Any:
        """Copies a component, or a formula of the model's names, into an array of shape (ny, nx) in the run's precision.

        An empty formula means the setting `show`, by default the first component. On the CPU, or with `numpy`, the
        result is a NumPy array; on CUDA it is an object with DLPack on the GPU, which ``cupy.from_dlpack()`` takes
        without a copy. A complex component is an array of complex numbers, on the host. Later steps do not change the
        array. Raises ValueError for an invalid formula.

        >>> sim = ss.Simulation(model="gray-scott", size=(64, 48))
        >>> sim.field("u^2 + v", numpy=True).shape
        (48, 64)
        """
        parts = self._complex_parts(formula_text(formula)) if formula else None
        if parts is None:
            return self._held.field(formula, False, numpy)
        real, imaginary = (self._held.field(part, False, True) for part in parts)
        return real + 1j * imaginary

    def laplacian(self, formula: str = "", *, numpy: bool = False) -> Any:
        """Returns north + south + east + west - 4 u of a field, as `field` does; divided by dx^2 for typed equations."""
        return self._held.field(formula_text(formula), True, numpy)

    @property
    def fields(self) -> Fields:
        """The components by name: ``sim.fields["v"]`` is ``sim.field("v")``, and can be assigned.

        >>> sim = ss.Simulation(model="gray-scott", size=32)
        >>> sim.fields
        Fields(u, v)
        >>> sim.fields["v"] = 0.5 * sim.fields["v"]
        >>> sim.fields["u"] = "max(u, 0.5)"
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
        """The present settings, with every default filled in: ``Simulation(**sim.settings)`` begins with them.

        >>> sim = ss.Simulation(model="gray-scott", size=64, parameters={"F": 0.04})
        >>> sim.settings["size"], sim.settings["dt"], sim.settings["parameters"]["F"]
        ((64, 64), 1, 0.04)
        >>> ss.Simulation(**sim.settings).parameters == sim.parameters
        True
        """
        found = json_object(self._held.settings(False))
        result = settings_of(found)
        result["parameters"] = {name: value for name, value in self.parameters.items() if name != "coefficient"}
        if isinstance(initial := found.get("initial"), list):
            named = (one.partition("=")[::2] for one in initial)
            result["initial"] = {name: self._start(what, self.components.index(name)) for name, what in named}
        elif initial:
            result["initial"] = self._start(initial, 0)
        return result

    def _start(self, what: str, component: int) -> Any:
        """A start as it was given; an array is no file."""
        return self._held.start(component) if what.endswith(".npy") and not os.path.exists(what) else what

    @property
    def spec(self) -> dict[str, Any]:
        """The settings that repeat the run, as in spec.json: those at its start and, under "at", the changes since.

        An initial array is named as the initial.npy that `export` writes: ``Simulation(u0, spec=sim.spec)`` gives the
        array itself.
        """
        return json_object(self._held.settings(True))

    @property
    def parameters(self) -> Parameters:
        """The model's parameters now, which can be assigned.

        >>> sim = ss.Simulation(model="gray-scott", size=32)
        >>> sim.parameters["F"] = 0.04
        >>> sim.parameters["F"]
        0.04
        """
        return Parameters(self)

    @property
    def components(self) -> list[str]:
        """The names of the model's components."""
        return self._held.components()

    @property
    def shape(self) -> tuple[int, int]:
        """(ny, nx), the shape of the arrays."""
        ny, nx = self._held.shape()
        return ny, nx

    @property
    def dx(self) -> float:
        """The distance of cells, in `unit_length`."""
        return float(self._held.grid()["dx"])

    @property
    def dt(self) -> float:
        """The next time step, in `unit_time`."""
        return float(self._held.grid()["dt"])

    @property
    def x(self) -> Any:
        """x at the centres of the columns, from the text's `origin`, in `unit_length`.

        >>> ss.Simulation(equation="du/dt = lap(u); dx = 0.5; origin = -1, 0", size=(4, 2)).x
        array([-0.75, -0.25,  0.25,  0.75])
        """
        grid = self._held.grid()
        return grid["x0"] + (numpy.arange(self.shape[1]) + 0.5) * grid["dx"]

    @property
    def y(self) -> Any:
        """y at the centres of the rows, which point down; as `x`."""
        grid = self._held.grid()
        return grid["y0"] + (numpy.arange(self.shape[0]) + 0.5) * grid["dx"]

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """x at the left and the right side, y at the bottom and the top, as ``matplotlib.pyplot.imshow`` takes them."""
        grid, (ny, nx) = self._held.grid(), self.shape
        return grid["x0"], grid["x0"] + nx * grid["dx"], grid["y0"] + ny * grid["dx"], grid["y0"]

    def to_xarray(self, *formulas: str) -> Any:
        """Returns an xarray.Dataset of the components, or of formulas, with the coordinates time, y and x and their units.

        Raises ImportError without xarray, ValueError for an invalid formula.
        """
        fields = {name: self.field(name, numpy=True) for name in formulas or self.components}
        return self._dataset(fields, {"time": self.time, "step": self.step})

    def _dataset(self, fields: Mapping[str, Any], times: Mapping[str, Any]) -> Any:
        xarray = needed("xarray", "to_xarray()")
        grid = self._held.grid()
        series = numpy.ndim(times["time"]) > 0
        axes = ("time", "y", "x") if series else ("y", "x")
        units = {"x": grid["length"], "y": grid["length"], "time": grid["time"]}
        dataset = xarray.Dataset({name: (axes, field) for name, field in fields.items()}, {"x": self.x, "y": self.y, **times})
        for name, unit in units.items():
            if unit:
                dataset[name].attrs["units"] = unit
        dataset.attrs.update({name: value for name, value in json_object(self._held.settings(False)).items() if name in ("program", "version", "model", "equation")})
        return dataset

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
        now = json_object(self._held.settings(False))
        return (
            f"<stencilscope.Simulation: {now.get('model', 'typed equations')}, {now['size']} {now['dtype']}, "
            f"{now['method']} on {now['backend']}, step {self.step}>"
        )

    def _repr_html_(self) -> str:
        return _notebook.as_html(self, self._held.picture())


def _count(steps: Any, what: str) -> int:
    """Returns a whole number, also of a float such as 1e4, within the program's range of integers."""
    if isinstance(steps, float) and steps.is_integer():
        steps = int(steps)
    try:
        return max(-(2**63), min(operator.index(steps), 2**63 - 1))
    except TypeError:
        raise TypeError(f"{what}: a whole number, not the {type(steps).__name__} {steps!r}") from None


def _with_arrays(words: list[tuple[str, str]], arrays: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[Any]]:
    """Returns the words with an equation that names the arrays, and what holds these."""
    if not isinstance(arrays, Mapping):
        raise TypeError(f"arrays: a dictionary of names and arrays, not {type(arrays).__name__}")
    if not arrays:
        return words, []
    formulas, kept, shape = {}, [], None
    for name, value in arrays.items():
        files = []
        for part in parts_of(value, f"arrays {name}"):
            if part is not None:
                file, holder = _core.hold_array(part, f"arrays {name}")
                files.append(f'array("{file}")')
                kept.append(holder)
                shape = part.shape
        formulas[name] = " + 1i*".join(files)
    given = dict(words)
    text = "\n".join(text for name, text in words if name == "equation")
    if not text and "model" not in given:
        raise ValueError("arrays: equation= or model= has the formulas that they stand in")
    text = _core.text_with_arrays(text, given.get("model", ""), formulas)
    rest = [word for word in words if word[0] not in ("equation", "model")]
    if "size" not in given and shape is not None and len(shape) == 2:
        rest.append(("size", f"{shape[1]}x{shape[0]}"))
    return [("equation", text), *rest], kept


Simulation.__doc__ = (Simulation.__doc__ or "").replace("SETTINGS", setting_help())
setattr(Simulation, "__signature__", signature(Simulation.__init__))  # noqa: B010 - mypy knows no such attribute
