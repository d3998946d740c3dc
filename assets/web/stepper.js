// Steps the page's program by WebGL 2: one pass for each stage, over textures of four floats per cell.

const VERTICES = `#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }`;
// Indices of the scalars of every model; parameters follow.
const kTime = 0, kStep = 1, kDt = 2, kPast = 3, kSpacing = 4, kColumns = 5, kRows = 6, kParameters = 7;

class Graphics {
  constructor(canvas, [nx, ny]) {
    this.gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("This page needs WebGL 2, which this browser does not offer.");
    if (!this.gl.getExtension("EXT_color_buffer_float"))
      throw new Error("This page needs float textures (EXT_color_buffer_float), which this device does not offer.");
    this.nx = nx;
    this.ny = ny;
    if (Math.max(nx, ny) + 2 > this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE))
      throw new Error(`This device has no textures of ${nx}x${ny} cells.`);
    this.gl.bindVertexArray(this.gl.createVertexArray());
    this.gl.disable(this.gl.DITHER);
    this.gl.pixelStorei(this.gl.UNPACK_ALIGNMENT, 1);
  }

  program(fragments) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTICES], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    return { made, places: new Map(), fragments };
  }

  /// Checked late, so that all shaders compile at once.
  use(program) {
    const gl = this.gl;
    if (!program.checked && !gl.getProgramParameter(program.made, gl.LINK_STATUS)) {
      const shaders = gl.getAttachedShaders(program.made);
      throw new Error(`A shader cannot be compiled: ${shaders.map((s) => gl.getShaderInfoLog(s)).join(" ")}`);
    }
    program.checked = true;
    gl.useProgram(program.made);
  }

  place(program, name) {
    if (!program.places.has(name)) program.places.set(name, this.gl.getUniformLocation(program.made, name));
    return program.places.get(name);
  }

  texture(format, width, height, values = null) {
    const gl = this.gl, made = gl.createTexture();
    const [order, type] = { RGBA32F: [gl.RGBA, gl.FLOAT], R32F: [gl.RED, gl.FLOAT], RGBA8: [gl.RGBA, gl.UNSIGNED_BYTE] }[format];
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl[format], width, height, 0, order, type, values);
    for (const [name, value] of [["MIN_FILTER", "NEAREST"], ["MAG_FILTER", "NEAREST"], ["WRAP_S", "CLAMP_TO_EDGE"], ["WRAP_T", "CLAMP_TO_EDGE"]])
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl[value]);
    return made;
  }

  framebuffer(textures) {
    const gl = this.gl, made = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, made);
    const targets = textures.map((texture, i) => {
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i, gl.TEXTURE_2D, texture, 0);
      return gl.COLOR_ATTACHMENT0 + i;
    });
    gl.drawBuffers(targets);
    if (gl.checkFramebufferStatus(gl.FRAMEBUFFER) !== gl.FRAMEBUFFER_COMPLETE)
      throw new Error("This device cannot draw into float textures of this size.");
    return made;
  }

  bind(program, name, unit, texture) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(this.place(program, name), unit);
  }

  draw(target, width, height) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, width, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  pixels(texture, x, y, width, height) {
    const gl = this.gl, values = new Float32Array(4 * width * height);
    this.reading ??= gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.reading);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(x, y, width, height, gl.RGBA, gl.FLOAT, values);
    return values;
  }
}

/// Textures that programs share. Of those that are carried from step to step there are two.
class Textures {
  constructor(graphics, blocks) {
    this.graphics = graphics;
    this.blocks = blocks;
    this.all = [];
  }

  add(rows) {
    const { nx, ny } = this.graphics;
    for (const row of rows) {
      const versions = (row.carried ? [0, 1] : [0]).map(() => this.graphics.texture("RGBA32F", nx, ny));
      this.all.push({ row, versions });
    }
  }

  of(number, version) {
    const { row, versions } = this.all[number];
    return versions[row.carried ? version : 0];
  }

  /// Fills textures from the page's data, and others with zeros.
  load(version) {
    const { gl, nx, ny } = this.graphics;
    for (const { row, versions } of this.all) {
      const cells = new Float32Array(4 * nx * ny);
      (row.blocks ?? []).forEach((block, channel) => {
        const values = block < 0 ? null : this.blocks[block];
        for (let i = 0; values && i < nx * ny; ++i) cells[4 * i + channel] = values[i];
      });
      gl.bindTexture(gl.TEXTURE_2D, versions[row.carried ? version : 0]);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, nx, ny, gl.RGBA, gl.FLOAT, cells);
    }
  }
}

/// The inputs and passes of a program: a step, or what computes the shown formula.
class Passes {
  constructor(graphics, program, textures) {
    this.graphics = graphics;
    this.program = program;
    this.textures = textures;
    textures.add(program.textures);
    this.width = Math.max(graphics.nx, graphics.ny) + 2;
    this.lines = graphics.texture("R32F", this.width, Math.max(program.lines, 1));
    this.uniforms = new Float32Array(4 * Math.ceil(program.uniforms.count / 4));
    const made = (stage) => ({
      stage,
      shader: graphics.program(stage.shader),
      targets: [0, 1].map((version) => graphics.framebuffer(stage.to.map((t) => textures.of(t, version)))),
    });
    this.once = program.once.map(made);
    this.stages = program.stages.map(made);
  }

  setLine(number, values) {
    const gl = this.graphics.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.lines);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, number, values.length, 1, gl.RED, gl.FLOAT, Float32Array.from(values));
  }

  /// Column or row inputs, whose entries beyond periodic sides are those of the cell around.
  setLines(inputs, first, n, spacing, scalars, isX) {
    if (inputs.count === 0) return;
    const at = (cell) => {
      const position = (cell + 0.5) * spacing;
      return FUNCTIONS[inputs.inputs](scalars, isX ? position : 0, isX ? 0 : position);
    };
    const rows = Array.from({ length: n + 2 }, (_, i) => at(i - 1));
    for (let k = 0; k < inputs.count; ++k) {
      const values = rows.map((row) => row[k]);
      if (inputs.wraps?.[k]) [values[0], values[n + 1]] = [values[n], values[1]];
      this.setLine(first + k, values);
    }
  }

  /// alpha and beta of the ghost cells, alpha * edge + beta, along each side that is not periodic.
  setGhosts(scalars, all) {
    const { nx, ny } = this.graphics, spacing = scalars[kSpacing];
    for (const array of this.program.arrays) {
      const own = scalars.slice();
      own[kTime] += array.time * scalars[kDt];
      array.sides.forEach((side, number) => {
        if (!side || !(all || side.ofTime)) return;
        const upright = number < 2, n = upright ? ny : nx;
        const far = number % 2 === 0 ? 0 : spacing * (upright ? nx : ny);
        const around = array.sides[upright ? 2 : 0] === null;
        let values;
        const pairs = Array.from({ length: n + 2 }, (_, i) => {
          const cell = around ? (i - 1 + n) % n : i - 1, position = (cell + 0.5) * spacing;
          if (i === 0 || side.varies)
            values = FUNCTIONS[side.inputs](own, upright ? far : position, upright ? position : far);
          return values;
        });
        for (const k of [0, 1]) this.setLine(side.line + k, pairs.map((pair) => pair[k]));
      });
    }
  }

  /// Updates what depends on the scalars; without `all` what depends on time.
  update(scalars, all) {
    const { uniforms, columns, rows } = this.program, { nx, ny } = this.graphics;
    if (all || uniforms.ofTime) this.uniforms.set(FUNCTIONS[uniforms.inputs](scalars, 0, 0));
    if (all) {
      this.setLines(columns, 0, nx, scalars[kSpacing], scalars, true);
      this.setLines(rows, columns.count, ny, scalars[kSpacing], scalars, false);
    }
    this.setGhosts(scalars, all);
  }

  /// Carried textures are written in this version and, where they are read before, read in the other.
  run(passes, version, moment) {
    const g = this.graphics, gl = g.gl;
    for (const { stage, shader, targets } of passes) {
      g.use(shader);
      stage.from.forEach(([texture, before], i) =>
        g.bind(shader, `t${i}`, i, this.textures.of(texture, before ? 1 - version : version)));
      g.bind(shader, "lines", stage.from.length, this.lines);
      gl.uniform2i(g.place(shader, "n"), g.nx, g.ny);
      gl.uniform4ui(g.place(shader, "moment"), ...moment);
      if (this.uniforms.length > 0) gl.uniform4fv(g.place(shader, "u"), this.uniforms);
      g.draw(targets[version], g.nx, g.ny);
    }
  }
}

/// The run: its state, clock and parameters.
class Stepper {
  constructor(canvas, run, blocks) {
    this.run = run;
    this.graphics = new Graphics(canvas, run.size);
    this.textures = new Textures(this.graphics, blocks);
    this.step_ = new Passes(this.graphics, run.program, this.textures);
    this.view = run.view && new Passes(this.graphics, run.view, this.textures);
    this.parameters = run.parameters.map((p) => p.value);
    this.reset();
  }

  reset() {
    this.version = 0;
    this.step = this.run.step;
    this.past = 0;
    this.textures.load(1 - this.version);
    this.changed();
  }

  get time() { return this.run.time + (this.step - this.run.step) * this.run.dt; }

  setParameter(index, value) {
    if (this.parameters[index] === value) return;
    this.parameters[index] = value;
    this.past = 0;
    this.changed();
  }

  changed() { this.stale = this.viewStale = true; }

  scalars() {
    const { dt, spacing, size } = this.run, s = [];
    s[kTime] = this.time;
    s[kStep] = this.step;
    s[kDt] = dt;
    s[kPast] = this.past;
    s[kSpacing] = spacing;
    [s[kColumns], s[kRows]] = size;
    return s.concat(this.parameters);
  }

  moment() { return [this.step >>> 0, Math.floor(this.step / 2 ** 32), ...this.run.seed]; }

  advance(steps) {
    for (; steps > 0; --steps) {
      const scalars = this.scalars(), moment = this.moment();
      this.step_.update(scalars, this.stale);
      if (this.stale) this.step_.run(this.step_.once, this.version, moment);
      this.stale = false;
      this.step_.run(this.step_.stages, this.version, moment);
      this.version = 1 - this.version;
      this.step += 1;
      if (this.run.program.multistep && this.past !== 1) {
        this.past = 1;
        this.stale = true;
      }
    }
    this.viewStale = true;
  }

  /// The texture and channel of a component, or of the shown formula behind them.
  place(index) {
    const latest = 1 - this.version;
    if (index < this.run.components.length) {
      const [texture, channel] = this.run.program.state[index];
      return [this.textures.of(texture, latest), channel];
    }
    if (this.viewStale) {
      this.view.update(this.scalars(), true);
      this.view.run(this.view.once, this.version, this.moment());
      this.view.run(this.view.stages, this.version, this.moment());
      this.viewStale = false;
    }
    const [texture, channel] = this.run.view.result;
    return [this.textures.of(texture, this.version), channel];
  }

  value(index, x, y) {
    const [texture, channel] = this.place(index);
    return this.graphics.pixels(texture, x, y, 1, 1)[channel];
  }

  field(index) {
    const [texture, channel] = this.place(index), { nx, ny } = this.graphics;
    return this.graphics.pixels(texture, 0, 0, nx, ny).filter((_, i) => i % 4 === channel);
  }

  /// Sets the cells within a radius of a line segment, as a round brush that replaces does.
  paint(component, value, radius, [x0, y0], [x1, y1]) {
    const g = this.graphics, gl = g.gl, [texture, channel] = this.place(component);
    this.brush ??= g.program(`#version 300 es
precision highp float;
uniform vec4 segment;
uniform vec2 brush;  // value, radius
out vec4 color;
void main() {
  vec2 p = gl_FragCoord.xy - segment.xy, d = segment.zw - segment.xy;
  float length2 = dot(d, d);
  vec2 off = p - (length2 > 0.0 ? clamp(dot(p, d) / length2, 0.0, 1.0) : 0.0) * d;
  if (dot(off, off) >= brush.y * brush.y) discard;
  color = vec4(brush.x);
}`);
    g.use(this.brush);
    gl.uniform4f(g.place(this.brush, "segment"), x0, y0, x1, y1);
    gl.uniform2f(g.place(this.brush, "brush"), value, radius);
    const target = g.framebuffer([texture]);
    gl.colorMask(...[0, 1, 2, 3].map((c) => c === channel));
    g.draw(target, g.nx, g.ny);
    gl.colorMask(true, true, true, true);
    gl.deleteFramebuffer(target);
    if (this.run.program.multistep) {
      this.past = 0;
      this.stale = true;
    }
    this.viewStale = true;
  }

  /// Minimum, maximum and mean of the finite values, and how many others there are.
  statistics(index) {
    const g = this.graphics, gl = g.gl, kBlock = 16;
    this.reducer ??= g.program(`#version 300 es
precision highp float;
precision highp int;
uniform sampler2D cells;
uniform ivec2 n;
uniform int channel;  // -1: of (minimum, maximum, sum, count)
out vec4 result;
void main() {
  ivec2 first = ivec2(gl_FragCoord.xy) * ${kBlock};
  vec4 all = vec4(3e38, -3e38, 0, 0);
  for (int y = first.y; y < min(first.y + ${kBlock}, n.y); ++y)
    for (int x = first.x; x < min(first.x + ${kBlock}, n.x); ++x) {
      vec4 c = texelFetch(cells, ivec2(x, y), 0);
      float v = channel == 0 ? c.r : channel == 1 ? c.g : channel == 2 ? c.b : c.a;
      bool finite = channel < 0 || abs(v) <= 3e38;
      if (channel >= 0) c = vec4(v, v, v, 1);
      if (finite) all = vec4(min(all.x, c.x), max(all.y, c.y), all.zw + c.zw);
    }
  result = all;
}`);
    let [texture, channel] = this.place(index), width = g.nx, height = g.ny;
    this.reductions ??= [];
    g.use(this.reducer);
    for (let level = 0; level < 2; ++level) {
      const [w, h] = [Math.ceil(width / kBlock), Math.ceil(height / kBlock)];
      if (!this.reductions[level]) {
        const to = g.texture("RGBA32F", w, h);
        this.reductions[level] = { to, target: g.framebuffer([to]) };
      }
      g.use(this.reducer);
      g.bind(this.reducer, "cells", 0, texture);
      gl.uniform2i(g.place(this.reducer, "n"), width, height);
      gl.uniform1i(g.place(this.reducer, "channel"), level === 0 ? channel : -1);
      g.draw(this.reductions[level].target, w, h);
      [texture, width, height] = [this.reductions[level].to, w, h];
    }
    const rest = g.pixels(texture, 0, 0, width, height);
    let [low, high, sum, count] = [Infinity, -Infinity, 0, 0];
    for (let i = 0; i < rest.length; i += 4) {
      low = Math.min(low, rest[i]);
      high = Math.max(high, rest[i + 1]);
      sum += rest[i + 2];
      count += rest[i + 3];
    }
    return { low, high, mean: sum / count, notFinite: g.nx * g.ny - count };
  }
}
