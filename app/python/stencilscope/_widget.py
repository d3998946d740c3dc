"""The live widget of notebooks: `widget.js` draws, and asks for frame after frame, which are stepped here."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import TYPE_CHECKING, Any

from stencilscope._words import needed

if TYPE_CHECKING:
    from stencilscope._simulation import Simulation

anywidget: Any = needed("anywidget", "Simulation.widget()")
traitlets: Any = needed("traitlets", "Simulation.widget()")

#: Larger fields are shown by the means of several cells.
LARGEST_SIDE = 1024


class SimulationWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """Shows a simulation, steps it while it plays, and sets its parameters by sliders.

    Its attributes may be set from other cells: `playing`, `steps` (those of a frame), `shown` (a component or formula)
    and `parameters`. `message` is the last error, in one line.
    """

    _esm = pathlib.Path(__file__).with_name("widget.js")

    components = traitlets.List().tag(sync=True)
    sliders = traitlets.List().tag(sync=True)  # name, value, low, high and unit of each parameter
    colors = traitlets.Bytes().tag(sync=True)  # 256 times red, green, blue
    parameters = traitlets.Dict().tag(sync=True)
    shown = traitlets.Unicode().tag(sync=True)
    steps = traitlets.Int(10, min=1).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    message = traitlets.Unicode().tag(sync=True)

    def __init__(self, simulation: Simulation, shown: str, steps: int) -> None:
        self.simulation = simulation
        super().__init__(
            components=simulation.components,
            sliders=json.loads(simulation._held.sliders()),
            colors=simulation._held.image(shown, 0)["colors"],
            parameters=dict(simulation.parameters),
            shown=shown,
            steps=steps,
        )
        self.on_msg(self._asked)
        self.observe(self._set_parameters, "parameters")
        self.observe(lambda _: self._try(self.show), "shown")

    def show(self) -> None:
        """Sends the present field to the page, for instance after another cell has stepped the simulation."""
        image = self.simulation._held.image(self.shown, LARGEST_SIDE)
        frame = {"step": self.simulation.step, "time": self.simulation._held.time_text(), "low": image["low"], "high": image["high"]}
        self.send(frame, buffers=[image["png"]])
        self.parameters = dict(self.simulation.parameters)

    def _repr_mimebundle_(self, **words: Any) -> Any:
        """Adds a picture for pages that cannot step, such as notebooks on the web."""
        found = super()._repr_mimebundle_(**words)
        data = found[0] if isinstance(found, tuple) else found
        if data is not None:
            data["image/png"] = base64.b64encode(self.simulation._held.image(self.shown, LARGEST_SIDE)["png"]).decode()
        return found

    def _asked(self, _: Any, request: dict[str, str], __: Any) -> None:
        actions = {
            "play": lambda: self.simulation.advance(self.steps),
            "step": lambda: self.simulation.advance(1),
            "reset": self.simulation.reset,
            "show": lambda: None,
        }
        self._try(lambda: (actions[request["do"]](), self.show()))

    def _set_parameters(self, change: Any) -> None:
        # The page may not know yet the values that another cell has set.
        now = self.simulation.parameters
        changed = {name: value for name, value in change["new"].items() if value not in (change["old"].get(name), now.get(name))}
        if not changed:
            return
        self._try(lambda: [self.simulation.set(name, value) for name, value in changed.items()])
        self.parameters = dict(self.simulation.parameters)

    def _try(self, action: Any) -> None:
        try:
            action()
            self.message = ""
        except (ValueError, TypeError, RuntimeError, MemoryError) as error:
            self.playing = False
            self.message = str(error)
