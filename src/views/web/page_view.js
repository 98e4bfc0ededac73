// SPDX-License-Identifier: Apache-2.0
// The state of the page: the window, which all plans share; the tensor under
// the pointer; and the pinned tensor. Redraws the plans when the state changes.

const HASH_DELAY = 250;  // milliseconds

class View {
  constructor(header, plans) {
    this.header = header;
    this.plans = plans;
    this.theme = new Theme();
    this.hovered = null;  // {trace, record}
    this.pinned = null;
    this.showGaps = false;
    this.showMoved = false;
    this.mode = 'lifetime';
    this.peak = -1;
    this.shown = 0;  // the plan that is shown if a slider chooses one
    this.colourings = new Map();
    this.moved = new Map();
    this.full = this.fullWindow();
    this.window = {...this.full};
    this.panels = plans.map((plan, i) => new Panel(this, plan, i));
    this.search = new Search(this);
  }

  fullWindow() {
    const base = this.plans[0].trace;
    let [x0, x1, y1] = [base.taskBegin, base.taskEnd, 1];
    for (const {trace, total, bound, capacity} of this.plans) {
      x0 = Math.min(x0, trace.toBase(trace.taskBegin));
      x1 = Math.max(x1, trace.toBase(trace.taskEnd));
      y1 = Math.max(y1, Number(total), Number(bound));
      if (capacity !== null && Number(capacity) <= 2 * y1) y1 = Math.max(y1, Number(capacity));
    }
    return {x0, x1: Math.max(x1, x0 + 1), y0: 0, y1: y1 * 1.04};
  }

  // Moves a window into the full window, and sets it. If it is too small to
  // distinguish tasks or bytes, it is enlarged first.
  setWindow({x0, x1, y0, y1}) {
    const {full} = this;
    const clamp = (low, high, least, most, smallest) => {
      const size = Math.min(Math.max(high - low, smallest), most - least);
      const begin = Math.min(Math.max(low, least), most - size);
      return [begin, begin + size];
    };
    const smallestTime = Math.max(1, full.x1 * 2 ** -46);
    const smallestSize = Math.max(8, full.y1 * 2 ** -46);
    [x0, x1] = clamp(x0, x1, full.x0, full.x1, Math.min(smallestTime, full.x1 - full.x0));
    [y0, y1] = clamp(y0, y1, full.y0, full.y1, Math.min(smallestSize, full.y1));
    this.window = {x0, x1, y0, y1};
    this.requestDraw();
  }

  // Multiplies the width of the window by `fx` and its height by `fy`. The
  // given point keeps its place on the screen. The default point is the middle
  // of the window.
  zoom(fx, fy, task, byte) {
    const {x0, x1, y0, y1} = this.window;
    const x = task === undefined ? (x0 + x1) / 2 : task;
    const y = byte === undefined ? (y0 + y1) / 2 : byte;
    this.setWindow({x0: x - (x - x0) * fx, x1: x + (x1 - x) * fx,
      y0: y - (y - y0) * fy, y1: y + (y1 - y) * fy});
  }

  pan(dx, dy) {
    const {x0, x1, y0, y1} = this.window;
    this.setWindow({x0: x0 + dx, x1: x1 + dx, y0: y0 + dy, y1: y1 + dy});
  }

  // Moves the next peak to the middle of the window, and zooms in until the
  // tasks around it can be distinguished.
  showPeak() {
    const {trace} = this.plans[0];
    const peaks = trace.peaks.values;
    if (peaks.length === 0) return;
    this.peak = (this.peak + 1) % peaks.length;
    const task = peaks[this.peak];
    const {full} = this;
    const size = Math.min(this.window.x1 - this.window.x0,
      Math.max(16, (full.x1 - full.x0) / 20));
    this.setWindow({...this.window, y0: full.y0, y1: full.y1,
      x0: task + 0.5 - size / 2, x1: task + 0.5 + size / 2});
    this.say(`Peak ${this.peak + 1} of ${formatInteger(peaks.length)}: task ` +
      `${formatInteger(trace.peaks.at(this.peak))}, ${formatBytes(trace.peak)}`);
  }

  // Moves the window to a record, with some space around it.
  showRecord({trace, record}) {
    const plan = this.plans.find((p) => p.trace === trace) || this.plans[0];
    const begin = trace.toBase(trace.firsts[record]);
    const end = trace.toBase(trace.ends[record]);
    const low = plan.offsets[record];
    const size = Math.max(1, trace.sizes[record]);
    const life = end - begin;
    this.setWindow({x0: begin - life * 1.5 - 2, x1: end + life * 1.5 + 2,
      y0: low - size * 2 - 16, y1: low + size * 3 + 16});
  }

  hover(chosen) {
    const isSame = this.hovered === chosen || (this.hovered && chosen &&
      this.hovered.trace === chosen.trace && this.hovered.record === chosen.record);
    this.hovered = chosen;
    if (!isSame) this.panels.forEach((panel) => panel.drawOverlay());
  }

  pin(chosen, isShown) {
    this.pinned = chosen;
    showDetails(this);
    if (chosen !== null) {
      this.say(`Tensor ${chosen.trace.label(chosen.record)}, ` +
        `${formatBytes(chosen.trace.size.at(chosen.record))}`);
    }
    if (chosen !== null && isShown) this.showRecord(chosen);
    else this.requestDraw();
  }

  // Returns the record of `trace` that is the same tensor as the chosen record,
  // or null if there is none. The chosen record may be of another trace.
  linked(chosen, trace) {
    if (chosen.trace === trace) return chosen.record;
    const base = chosen.trace.linkToBase(chosen.record);
    return base === null ? null : trace.linkFromBase(base);
  }

  setColour(mode) {
    const known = colourModes(this.plans[0].trace).some(([name]) => name === mode);
    this.mode = known ? mode : 'lifetime';
    byId('colour').value = this.mode;
    this.colourings.clear();
    this.requestDraw();
    showLegend(this.colouringOf(this.plans[0].trace), this.paletteOf(this.plans[0].trace));
  }

  colouringOf(trace) {
    if (!this.colourings.has(trace)) {
      const has = colourModes(trace).some(([name]) => name === this.mode);
      const colouring = makeColouring(has ? this.mode : 'lifetime', trace);
      colouring.palette = makePalette(colouring, this.theme);
      this.colourings.set(trace, colouring);
    }
    return this.colourings.get(trace);
  }

  paletteOf(trace) {
    return this.colouringOf(trace).palette;
  }

  // Returns a flag for each record of the plan. It is 1 if some other plan has
  // the record at a different offset or in a different memory, or lacks it.
  movedOf(plan) {
    if (!this.moved.has(plan)) {
      const moved = new Uint8Array(plan.trace.length);
      for (const other of this.plans) {
        if (other === plan) continue;
        for (let i = 0; i < moved.length; ++i) {
          const j = this.linked({trace: plan.trace, record: i}, other.trace);
          if (j === null || other.firstByte(j) !== plan.firstByte(i) ||
              other.bandName(j) !== plan.bandName(i)) moved[i] = 1;
        }
      }
      this.moved.set(plan, moved);
    }
    return this.moved.get(plan);
  }

  layout() {
    this.panels.forEach((panel) => panel.node.hidden || panel.layout());
  }

  draw() {
    this.isRequested = false;
    this.panels.forEach((panel) => panel.node.hidden || panel.draw());
  }

  requestDraw() {
    if (this.isRequested) return;
    this.isRequested = true;
    requestAnimationFrame(() => {
      if (this.isRequested) this.draw();
    });
    clearTimeout(this.hashTimer);
    this.hashTimer = setTimeout(() => this.writeHash(), HASH_DELAY);
  }

  changeTheme() {
    this.theme = new Theme();
    this.setColour(this.mode);
  }

  // Sets the text that a screen reader speaks.
  say(text) {
    byId('live').textContent = text;
  }

  sayWindow() {
    const {x0, x1, y0, y1} = this.window;
    this.say(`Tasks ${formatInteger(Math.floor(x0))} to ${formatInteger(Math.ceil(x1) - 1)}, ` +
      `bytes ${formatInteger(Math.round(y0))} to ${formatInteger(Math.round(y1))}`);
  }

  // Stores the window, the colouring and the selection in the URL of the page,
  // so a copy of the URL shows the same picture.
  writeHash() {
    const {x0, x1, y0, y1} = this.window;
    const parts = [`colour=${this.mode}`];
    const isFull = Object.keys(this.full).every((key) => this.full[key] === this.window[key]);
    if (!isFull) parts.unshift(`tasks=${x0},${x1}`, `bytes=${y0},${y1}`);
    if (this.showGaps) parts.push('gaps=1');
    if (this.showMoved) parts.push('moved=1');
    if (this.header.slider) parts.push(`plan=${this.shown}`);
    if (this.pinned !== null) {
      const trace = this.plans.findIndex((plan) => plan.trace === this.pinned.trace);
      parts.push(`tensor=${trace},${this.pinned.record}`);
    }
    const hash = `#${parts.join('&')}`;
    if (hash !== window.location.hash) window.history.replaceState(null, '', hash);
  }

  readHash() {
    const values = new URLSearchParams(window.location.hash.slice(1));
    const pair = (name) => {
      const numbers = (values.get(name) || '').split(',').map(Number);
      return numbers.length === 2 && numbers.every(Number.isFinite) ? numbers : null;
    };
    const [tasks, bytes, tensor] = [pair('tasks'), pair('bytes'), pair('tensor')];
    this.showGaps = byId('waste').checked = values.get('gaps') === '1';
    this.showMoved = byId('moved').checked =
      values.get('moved') === '1' && this.plans.length > 1;
    this.setColour(values.get('colour') || 'lifetime');
    if (this.header.slider) showPlanAt(this, Number(values.get('plan')));
    const plan = tensor && this.plans[tensor[0]];
    if (plan && Number.isInteger(tensor[1]) && tensor[1] >= 0 && tensor[1] < plan.trace.length) {
      this.pin({trace: plan.trace, record: tensor[1]}, false);
    }
    this.setWindow({
      x0: tasks ? tasks[0] : this.full.x0, x1: tasks ? tasks[1] : this.full.x1,
      y0: bytes ? bytes[0] : this.full.y0, y1: bytes ? bytes[1] : this.full.y1,
    });
  }
}
