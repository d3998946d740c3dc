// Draws the frames of SimulationWidget (_widget.py), and asks for the next one when one is drawn.
function element(parent, tag, properties = {}, style = "") {
  const made = Object.assign(document.createElement(tag), properties);
  made.style.cssText = style;
  parent.append(made);
  return made;
}

function render({ model, el }) {
  const root = element(el, "div", {}, "display:flex;flex-wrap:wrap;gap:1em;font:13px sans-serif;align-items:flex-start");
  const left = element(root, "div", {}, "flex:0 1 480px");
  const canvas = element(left, "canvas", {}, "display:block;width:100%;image-rendering:pixelated;background:#888");
  const bar = element(left, "canvas", { width: 256, height: 1 }, "display:block;width:100%;height:10px;margin-top:4px");
  const ends = element(left, "div", {}, "display:flex;justify-content:space-between;font-variant-numeric:tabular-nums");
  const low = element(ends, "span");
  const step = element(ends, "span");
  const high = element(ends, "span");
  const right = element(root, "div", {}, "min-width:240px");

  const colors = new Uint8Array(model.get("colors").buffer ?? model.get("colors"));
  const pixels = bar.getContext("2d").createImageData(256, 1);
  for (let i = 0; i < 256; ++i) pixels.data.set([colors[3 * i], colors[3 * i + 1], colors[3 * i + 2], 255], 4 * i);
  bar.getContext("2d").putImageData(pixels, 0, 0);

  const ask = (what) => model.send({ do: what });
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  // The view whose button was pressed asks for the frames, if the notebook shows the widget several times.
  let asks = false;

  const buttons = element(right, "div", {}, "display:flex;gap:4px;margin-bottom:8px");
  const play = element(buttons, "button", {
    onclick: () => {
      asks = !model.get("playing");
      set("playing", asks);
      if (asks) ask("play");
    },
  });
  element(buttons, "button", { textContent: "Step", onclick: () => ask("step") });
  element(buttons, "button", { textContent: "Reset", onclick: () => ask("reset") });
  const shown = element(buttons, "select", { onchange: () => set("shown", shown.value) });
  for (const name of new Set([model.get("shown"), ...model.get("components")]))
    element(shown, "option", { value: name, textContent: name });

  // A row with a slider and its number; `read` and `write` are its value.
  const rows = [];
  function slider(label, low, high, step, event, read, write) {
    const row = element(right, "label", {}, "display:grid;grid-template-columns:6em 1fr 5em;gap:6px;align-items:center");
    element(row, "span", { textContent: label });
    const input = element(row, "input", { type: "range", min: low, max: high, step });
    const number = element(row, "output", {}, "font-variant-numeric:tabular-nums");
    input.addEventListener(event, () => write(Number(input.value)));
    const update = () => {
      input.value = read();
      number.textContent = String(Number(read().toPrecision(4)));
    };
    rows.push(update);
    update();
  }
  slider("steps/frame", 1, 200, 1, "input", () => model.get("steps"), (value) => set("steps", value));
  for (const p of model.get("sliders")) {
    const least = Math.min(p.low, p.value);
    const most = Math.max(p.high, p.value);
    const label = p.unit ? `${p.name} (${p.unit})` : p.name;
    slider(label, least, most, (most - least) / 1000 || "any", "input", () => model.get("parameters")[p.name], (value) =>
      set("parameters", { ...model.get("parameters"), [p.name]: value }),
    );
  }
  const message = element(right, "div", {}, "color:#b00020;white-space:pre-wrap");

  function refresh() {
    play.textContent = model.get("playing") ? "Pause" : "Play";
    message.textContent = model.get("message");
    shown.value = model.get("shown");
    rows.forEach((update) => update());
  }
  async function draw(frame, buffers) {
    const picture = await createImageBitmap(new Blob([buffers[0]], { type: "image/png" }));
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
    canvas.getContext("2d").drawImage(picture, 0, 0);
    low.textContent = Number(frame.low.toPrecision(4));
    high.textContent = Number(frame.high.toPrecision(4));
    step.textContent = `step ${frame.step}${frame.time ? `, t = ${frame.time}` : ""}`;
    if (asks && model.get("playing")) requestAnimationFrame(() => ask("play"));
  }
  model.on("msg:custom", draw);
  model.on("change", refresh);
  refresh();
  ask("show");
  return () => {
    asks = false;
    model.off("msg:custom", draw);
    model.off("change", refresh);
  };
}

export default { render };
