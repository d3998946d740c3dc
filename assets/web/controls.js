// What the page shows, and its controls.

const byId = (id) => document.getElementById(id);
const formatted = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "not finite");

function addElement(parent, name, properties = {}) {
  return parent.appendChild(Object.assign(document.createElement(name), properties));
}

async function readData() {
  if (!window.DecompressionStream) throw new Error("This page needs a browser of 2023 or newer (DecompressionStream).");
  const coded = atob(byId("data").textContent.trim());
  const packed = Uint8Array.from(coded, (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const values = new Float32Array(await new Response(stream).arrayBuffer());
  const cells = RUN.size[0] * RUN.size[1];
  return Array.from({ length: values.length / cells }, (_, i) => values.subarray(i * cells, (i + 1) * cells));
}

const bytesOf = (coded) => Uint8Array.from(atob(coded), (c) => c.charCodeAt(0));

// --- Colours

/// Where a value is on the scale, up to a linear map (sim/view/value_range.cpp).
function spread(value, { scale, low, high }) {
  const small = Math.max(Math.abs(low), Math.abs(high)) / 1000;
  if (scale === "log") return value > 0 ? Math.log(value) : -Infinity;
  return scale === "symlog" ? Math.sign(value) * Math.log1p(Math.abs(value) / small) : value;
}

class Display {
  constructor(stepper, canvas) {
    this.stepper = stepper;
    this.canvas = canvas;
    this.graphics = stepper.graphics;
    this.shader = this.graphics.program(`#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D cells;
uniform sampler2D palette;
uniform ivec2 n;
uniform vec2 pixels;
uniform ivec4 what;  // channel, scale, cursor
uniform vec4 range;  // low, high, low and high on the scale
out vec4 color;
void main() {
  vec2 at = vec2(gl_FragCoord.x, pixels.y - gl_FragCoord.y) / pixels * vec2(n);
  ivec2 cell = min(ivec2(at), n - 1);
  vec4 c = texelFetch(cells, cell, 0);
  float v = what.x == 0 ? c.r : what.x == 1 ? c.g : what.x == 2 ? c.b : c.a;
  float small = max(abs(range.x), abs(range.y)) / 1000.0;
  float s = what.y == 1 ? log(max(v, 1e-38)) : what.y == 2 ? sign(v) * log(1.0 + abs(v) / small) : v;
  float t = range.w > range.z ? clamp((s - range.z) / (range.w - range.z), 0.0, 1.0) : v > range.x ? 1.0 : 0.0;
  bool finite = abs(v) <= 3.4e38;
  color = finite ? texelFetch(palette, ivec2(min(int(t * 256.0), 255), 0), 0) : vec4(1, 0, 1, 1);
  if (what.z >= 0 && (cell.x == what.z) != (cell.y == what.w) && max(abs(cell.x - what.z), abs(cell.y - what.w)) < 6)
    color.rgb = vec3(color.r * 0.3 + color.g * 0.59 + color.b * 0.11 < 0.5);
}`);
    this.cursor = [-1, -1];
  }

  /// Takes the colours of a field: map, scale, low, high, unit and automatic, which says whether the range follows.
  take(colors) {
    this.colors = colors;
    this.map = RUN.colors.maps[colors.map];
    const rgb = bytesOf(this.map.colors), rgba = new Uint8Array(1024).fill(255);
    for (let i = 0; i < 256; ++i) rgba.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i);
    this.palette = this.graphics.texture("RGBA8", 256, 1, rgba);
    const bar = byId("bar").getContext("2d"), image = bar.createImageData(256, 1);
    image.data.set(rgba);
    bar.putImageData(image, 0, 0);
  }

  /// The range of colours for the field's extremes, as color_range() makes it.
  fit({ low, high }) {
    if (!(low <= high)) [low, high] = [0, 1];
    const { scale } = this.colors;
    if (scale === "log") {
      if (!(high > 0)) high = 1;
      if (!(low > 0)) low = high / 1e4;
    } else if (this.map.diverging || scale === "centred") {
      const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
      [low, high] = [-most, most];
    }
    Object.assign(this.colors, { low, high });
  }

  draw(index) {
    const g = this.graphics, gl = g.gl, canvas = this.canvas, [nx, ny] = RUN.size;
    const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)), height = Math.max(1, Math.round((width * ny) / nx));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const [texture, channel] = this.stepper.place(index), { low, high } = this.colors;
    g.use(this.shader);
    g.bind(this.shader, "cells", 0, texture);
    g.bind(this.shader, "palette", 1, this.palette);
    gl.uniform2i(g.place(this.shader, "n"), nx, ny);
    gl.uniform2f(g.place(this.shader, "pixels"), width, height);
    const scale = { log: 1, symlog: 2 }[this.colors.scale] ?? 0;
    gl.uniform4i(g.place(this.shader, "what"), channel, scale, ...this.cursor);
    gl.uniform4f(g.place(this.shader, "range"), low, high, spread(low, this.colors), spread(high, this.colors));
    g.draw(null, width, height);
    byId("low").textContent = formatted(low);
    byId("high").textContent = `${formatted(high)} ${this.colors.unit}`.trim();
  }
}

// --- The page

const address = () => new URLSearchParams(location.hash.slice(1));

/// #D=0.2&F=0.03 sets parameters.
function parametersOfAddress() {
  return [...address()]
    .map(([key, text]) => [RUN.parameters.findIndex((p) => p.name === key), text === "" ? NaN : Number(text)])
    .filter(([index, value]) => index >= 0 && Number.isFinite(value));
}

class Page {
  constructor(stepper) {
    this.stepper = stepper;
    this.canvas = byId("field");
    this.display = new Display(stepper, this.canvas);
    this.changes = [];  // of settings since the start, as --at has them
    this.playing = false;
    this.colors = RUN.colors.fields;  // of each field that has been shown
    this.write();
    this.addParameters();
    this.addColors();
    this.addBrush();
    this.addButtons();
    this.readAddress();
  }

  write() {
    byId("title").textContent = RUN.title;
    byId("about").textContent = [RUN.about, RUN.source].filter(Boolean).join(" ");
    byId("text").textContent = RUN.text;
    byId("link").textContent = RUN.link;
    const facts = `${RUN.size.join("x")} cells, dx = ${RUN.spacing}, dt = ${RUN.dt}, ${RUN.integrator}, boundary ${RUN.boundary}. Made by Stencilscope ${RUN.version}.`;
    for (const note of [facts, ...RUN.notes]) addElement(byId("notes"), "li", { textContent: note });
    const [nx, ny] = RUN.size;
    Object.assign(this.canvas.style, { aspectRatio: `${nx} / ${ny}`, width: `min(100%, ${(80 * nx) / ny}vh)` });
    for (const button of document.querySelectorAll("[data-copies]"))
      button.onclick = () => navigator.clipboard?.writeText(byId(button.dataset.copies).textContent);
  }

  /// A slider and a number for each parameter.
  addParameters() {
    const rows = byId("parameters");
    rows.hidden = RUN.parameters.length === 0;
    this.rows = RUN.parameters.map((p, index) => {
      const row = addElement(rows, "div", { className: "parameter" });
      addElement(row, "span", { textContent: p.name });
      const [low, high] = p.low < p.high ? [p.low, p.high] : [Math.min(0, 2 * p.value), Math.max(0, 2 * p.value) || 1];
      const slider = addElement(row, "input", { type: "range", ariaLabel: p.name, step: "any", min: low, max: high });
      const number = addElement(row, "input", { type: "number", step: "any", ariaLabel: `${p.name}, number` });
      addElement(row, "span", { textContent: p.unit });
      slider.oninput = () => this.setParameter(index, Number(Number(slider.value).toPrecision(4)));
      number.onchange = () => Number.isFinite(number.valueAsNumber) && this.setParameter(index, number.valueAsNumber);
      return { slider, number };
    });
    RUN.parameters.forEach((_, index) => this.showParameter(index));
  }

  showParameter(index) {
    const { slider, number } = this.rows[index], value = this.stepper.parameters[index];
    slider.value = value;
    number.value = value;
  }

  setParameter(index, value) {
    this.stepper.setParameter(index, value);
    this.showParameter(index);
    const { name } = RUN.parameters[index], step = this.stepper.step;
    this.changes = this.changes.filter((c) => c.name !== name || c.step !== step);
    this.changes.push({ step, name, value });
    const set = RUN.parameters.map((p, i) => [p.name, this.stepper.parameters[i], p.value]).filter(([, now, first]) => now !== first);
    history.replaceState(null, "", `#${set.map(([key, now]) => `${encodeURIComponent(key)}=${now}`).join("&")}`);
    this.update();
  }

  readAddress() {
    const read = () => parametersOfAddress().forEach(([index, value]) => this.setParameter(index, value));
    read();
    addEventListener("hashchange", read);
  }

  addColors() {
    const names = [...RUN.components, ...(RUN.view ? [RUN.view.name] : [])];
    names.forEach((name, index) => addElement(byId("shown"), "option", { value: index, textContent: name }));
    Object.keys(RUN.colors.maps).forEach((name) => addElement(byId("map"), "option", { value: name, textContent: name }));
    byId("shown").onchange = () => {
      this.choose(Number(byId("shown").value));
      this.update();
    };
    byId("map").onchange = () => {
      this.display.take(Object.assign(this.display.colors, { map: byId("map").value }));
      this.update();
    };
    byId("automatic").onchange = () => {
      this.display.colors.automatic = byId("automatic").checked;
      this.update();
    };
    for (const end of ["from", "to"])
      byId(end).onchange = () => {
        const [low, high] = [byId("from").valueAsNumber, byId("to").valueAsNumber];
        byId("automatic").checked = this.display.colors.automatic = false;
        if (low < high) Object.assign(this.display.colors, { low, high });
        this.update();
      };
    this.choose(RUN.shown);
  }

  /// Shows a field in the colours that it had last; one that had none takes the present ones.
  choose(index) {
    this.shown = index;
    const own = this.colors[index];
    this.display.take((this.colors[index] = own ?? { ...this.display.colors, unit: "" }));
    if (!own) this.display.fit(this.stepper.statistics(index));
    byId("shown").value = index;
    byId("map").value = this.display.colors.map;
    byId("automatic").checked = this.display.colors.automatic;
  }

  addBrush() {
    RUN.components.forEach((name, index) => addElement(byId("painted"), "option", { value: index, textContent: name }));
    byId("painted").value = this.shown < RUN.components.length ? this.shown : 0;
    byId("radius").value = Math.max(2, Math.round(Math.min(...RUN.size) / 40));
    byId("value").value = formatted(this.stepper.statistics(Number(byId("painted").value)).high || 1);
    const canvas = this.canvas;
    const sets = () => canvas.classList.toggle("paints", byId("paints").checked);
    byId("paints").onchange = sets;
    sets();
    canvas.addEventListener("webglcontextlost", () => {
      this.play(false);
      report("The device has taken its memory back: reload the page.");
    });
    canvas.onpointerdown = (event) => {
      canvas.focus({ preventScroll: true });
      this.pointer = this.position(event);
      if (!byId("paints").checked || event.button !== 0) return this.update();
      canvas.setPointerCapture(event.pointerId);
      this.last = this.pointer;
      this.paint(this.last, this.last);
    };
    canvas.onpointermove = (event) => {
      this.pointer = this.position(event);
      if (this.last) {
        this.paint(this.last, this.pointer);
        this.last = this.pointer;
      } else if (!this.playing) {
        this.showCell();
      }
    };
    canvas.onpointerup = canvas.onpointercancel = () => { this.last = null; };
    canvas.onpointerleave = () => { if (!this.last) this.pointer = null; };
    canvas.onkeydown = (event) => this.moveCursor(event);
    canvas.onblur = () => {
      this.display.cursor = [-1, -1];
      this.update();
    };
  }

  position(event) {
    const box = this.canvas.getBoundingClientRect(), [nx, ny] = RUN.size;
    return [((event.clientX - box.left) / box.width) * nx, ((event.clientY - box.top) / box.height) * ny].map((v) => Math.round(v * 10) / 10);
  }

  paint(from, to) {
    const component = Number(byId("painted").value), value = byId("value").valueAsNumber, radius = byId("radius").valueAsNumber;
    if (!Number.isFinite(value) || !(radius > 0)) return;
    this.stepper.paint(component, value, radius, from, to);
    const name = component === 0 ? "paint" : `paint-${RUN.components[component]}`;
    const places = String(from) === String(to) ? from : [...from, ...to];
    this.changes.push({ step: this.stepper.step, name, value: [value, radius, "replace", ...places].join(",") });
    this.update();
  }

  moveCursor(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, move = moves[event.key];
    const [nx, ny] = RUN.size, stride = event.shiftKey ? 1 : Math.max(1, Math.round(Math.min(nx, ny) / 50));
    let [x, y] = this.display.cursor;
    if (x < 0) [x, y] = [nx >> 1, ny >> 1];
    if (event.key === "Enter") {
      this.paint(...Array(2).fill([x + 0.5, y + 0.5]));
    } else if (move) {
      this.display.cursor = [Math.min(nx - 1, Math.max(0, x + move[0] * stride)), Math.min(ny - 1, Math.max(0, y + move[1] * stride))];
      this.update();
    } else {
      return;
    }
    event.preventDefault();
  }

  addButtons() {
    byId("speed").value = RUN.stepsPerFrame;
    byId("play").onclick = () => this.play(!this.playing);
    byId("single").onclick = () => this.single();
    byId("reset").onclick = () => this.reset();
    addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, select, button, summary, textarea");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = { " ": () => this.play(!this.playing), s: () => this.single(), r: () => this.reset() }[event.key];
      if (!action) return;
      action();
      event.preventDefault();
    });
    addEventListener("resize", () => this.update());
  }

  play(on) {
    this.playing = on;
    byId("play").textContent = on ? "Pause" : "Play";
    this.before = null;
    if (on) requestAnimationFrame((now) => this.frame(now));
    else this.update();
  }

  single() {
    this.play(false);
    this.stepper.advance(1);
    this.update();
  }

  reset() {
    this.stepper.reset();
    const { step } = this.stepper;
    this.changes = RUN.parameters
      .map((p, i) => ({ step, name: p.name, value: this.stepper.parameters[i], first: p.value }))
      .filter((c) => c.value !== c.first);
    this.update();
  }

  /// Frames that take too long make fewer steps.
  frame(now) {
    if (!this.playing) return;
    const asked = Math.max(1, Math.round(byId("speed").valueAsNumber) || 1);
    this.most = Math.min(this.most ?? asked, asked);
    if (this.before && now - this.before > 80) this.most = Math.max(1, this.most >> 1);
    else if (this.before && now - this.before < 25) this.most = Math.min(asked, this.most + 1);
    this.before = now;
    this.stepper.advance(this.most);
    const due = !(now - this.measured < 150);
    if (due) this.measured = now;
    this.update(due);
    requestAnimationFrame((next) => this.frame(next));
  }

  update(measures = true) {
    if (measures) this.measure();
    this.display.draw(this.shown);
    byId("clock").textContent = `step ${this.stepper.step}, t = ${formatted(this.stepper.time)}`;
    const changes = this.changes.map((c) => ` --at ${c.step}:${c.name}=${c.value}`).join("");
    byId("command").textContent = RUN.command.replace(/( --steps )\d+/, `$1${this.stepper.step}`) + changes;
  }

  measure() {
    const all = this.stepper.statistics(this.shown);
    if (this.display.colors.automatic) this.display.fit(all);
    if (document.activeElement !== byId("from")) byId("from").value = formatted(this.display.colors.low);
    if (document.activeElement !== byId("to")) byId("to").value = formatted(this.display.colors.high);
    const wrong = all.notFinite > 0 ? `, ${all.notFinite} cells not finite: reset, or take a smaller dt` : "";
    byId("extremes").textContent = `min ${formatted(all.low)}, mean ${formatted(all.mean)}, max ${formatted(all.high)}${wrong}`;
    this.showCell();
  }

  /// The value under the pointer or the cursor.
  showCell() {
    const [nx, ny] = RUN.size, [cx, cy] = this.display.cursor;
    const at = cx >= 0 ? [cx, cy] : this.pointer?.map(Math.floor);
    if (!at || at[0] < 0 || at[1] < 0 || at[0] >= nx || at[1] >= ny) {
      byId("cell").textContent = "";
      return;
    }
    byId("cell").textContent = `cell ${at.join(", ")}: ${formatted(this.stepper.value(this.shown, ...at))}`;
  }
}

/// #test=500 makes so many steps and writes the fields into the page, as base64 of float32.
function test(stepper, steps) {
  for (const [index, value] of parametersOfAddress()) stepper.setParameter(index, value);
  stepper.advance(steps);
  const coded = (values) => {
    const bytes = new Uint8Array(values.buffer);
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text);
  };
  const fields = [...RUN.components, ...(RUN.view ? ["shown"] : [])];
  const result = Object.fromEntries(fields.map((name, i) => [name, coded(stepper.field(i))]));
  addElement(document.body, "pre", { id: "result", textContent: JSON.stringify({ step: stepper.step, fields: result }) });
}

function report(problem) {
  byId("problem").textContent = problem;
  byId("problem").hidden = false;
}

async function start() {
  try {
    const stepper = new Stepper(byId("field"), RUN, await readData());
    const steps = address().get("test");
    if (steps !== null) return test(stepper, Number(steps));
    const page = new Page(stepper);
    page.update();
    page.play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  } catch (error) {
    report(error.message);
  }
}
start();
