// SPDX-License-Identifier: Apache-2.0
// The chart of one plan: a raster with axes, lines and labels. A second canvas
// on top of it has the outlines that change when the pointer moves.

const MARGIN = {left: 92, right: 14, top: 22, bottom: 24};  // CSS pixels
const MAX_LABELS = 300;

// Returns a round number that divides the range into about `wanted` steps.
function tickStep(range, wanted, isBinary) {
  const rough = range / wanted;
  if (isBinary) return 2 ** Math.max(0, Math.ceil(Math.log2(rough)));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  return Math.max(1, step);
}

function ticksOf(begin, end, wanted, isBinary) {
  const step = tickStep(end - begin, wanted, isBinary);
  const ticks = [];
  for (let tick = Math.ceil(begin / step) * step; tick < end && ticks.length < 100;
    tick += step) {
    ticks.push(tick);
  }
  return ticks;
}

// Returns the index of the first number that is not below `value`. The numbers
// must be in rising order.
function lowerBound(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Panel {
  constructor(view, plan, number) {
    this.view = view;
    this.plan = plan;
    this.number = number;
    this.raster = new Raster();
    this.canvas = element('canvas', {class: 'chart', role: 'img', tabindex: '0'});
    this.overlay = element('canvas', {class: 'overlay', 'aria-hidden': 'true'});
    this.stack = element('div', {class: 'stack'}, this.canvas, this.overlay);
    this.node = element('div', {class: 'panel'});
    if (view.plans.length > 1) this.node.append(element('h2', {}, plan.header.title));
    this.node.append(this.stack);
    // Consecutive plans of one trace have the same curve, so only the last of
    // them shows it, unless the page shows one plan at a time.
    const next = view.plans[number + 1];
    if (!next || next.trace !== plan.trace || view.header.slider) {
      this.curve = new Curve(view, plan.trace, this);
      this.node.append(this.curve.canvas);
    }
  }

  // Returns the window of the view, which all panels share. Its tasks are
  // numbered as in the trace of this panel.
  window() {
    const {x0, x1, y0, y1} = this.view.window;
    const {trace} = this.plan;
    return {x0: trace.fromBase(x0), x1: trace.fromBase(x1), y0, y1};
  }

  layout() {
    const ratio = window.devicePixelRatio || 1;
    const cssWidth = this.stack.clientWidth || 800;
    const cssHeight = this.view.plans.length > 1 ? 300 : 420;
    this.ratio = ratio;
    for (const canvas of [this.canvas, this.overlay]) {
      const width = Math.round(cssWidth * ratio);
      const height = Math.round(cssHeight * ratio);
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      canvas.style.height = `${cssHeight}px`;
    }
    this.left = Math.round(MARGIN.left * ratio);
    this.top = Math.round(MARGIN.top * ratio);
    this.width = Math.max(1, this.canvas.width - this.left - Math.round(MARGIN.right * ratio));
    this.height = Math.max(1, this.canvas.height - this.top - Math.round(MARGIN.bottom * ratio));
    this.raster.resize(this.width, this.height);
    if (this.curve) this.curve.layout(ratio, cssWidth);
  }

  // Return the position of a task or a byte in device pixels of the canvas.
  x(task) {
    const {x0, x1} = this.window();
    return this.left + (task - x0) / (x1 - x0) * this.width;
  }

  y(byte) {
    const {y0, y1} = this.view.window;
    return this.top + this.height - (byte - y0) / (y1 - y0) * this.height;
  }

  // Returns the task and the byte at a position, which is given in CSS pixels
  // from the upper left corner of the plot.
  at(x, y) {
    const {x0, x1, y0, y1} = this.window();
    return {
      task: x0 + x * this.ratio / this.width * (x1 - x0),
      byte: y0 + (1 - y * this.ratio / this.height) * (y1 - y0),
    };
  }

  // Returns the box of a record, in CSS pixels from the upper left corner of
  // the plot.
  place(record) {
    const {trace, offsets} = this.plan;
    const scale = (value, origin) => (value - origin) / this.ratio;
    const begin = offsets[record];
    return {
      left: scale(this.x(trace.firsts[record]), this.left),
      right: scale(this.x(trace.ends[record]), this.left),
      top: scale(this.y(begin + trace.sizes[record]), this.top),
      bottom: scale(this.y(begin), this.top),
    };
  }

  draw() {
    const {view, plan} = this;
    const {theme} = view;
    const colouring = view.colouringOf(plan.trace);
    const style = {
      palette: view.paletteOf(plan.trace), isRamp: colouring.isRamp, background: theme.plot,
      edge: theme.edge, ghost: theme.ghost, plain: theme.plain, gap: theme.gap,
      moved: view.showMoved ? view.movedOf(plan) : null, showGaps: view.showGaps,
    };
    this.raster.draw(plan, colouring.shades, this.window(), style);
    const context = this.canvas.getContext('2d', {alpha: false});
    context.fillStyle = theme.css('plot');
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.drawAxes(context);
    context.putImageData(this.raster.image, this.left, this.top);
    this.drawLabels(context, style.palette, colouring.shades);
    this.drawBands(context);
    this.drawLines(context);
    this.drawPeaks(context);
    this.drawWitness(context);
    this.canvas.setAttribute('aria-label', this.sentence());
    if (this.curve) this.curve.draw();
    this.drawOverlay();
  }

  font(context, size = 11) {
    context.font = `${Math.round(size * this.ratio)}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
  }

  drawAxes(context) {
    const {theme, window: shown} = this.view;
    const {x0, x1} = this.window();
    this.font(context);
    context.fillStyle = theme.css('text');
    context.strokeStyle = theme.css('muted');
    context.lineWidth = Math.max(1, Math.round(this.ratio));
    context.textAlign = 'right';
    for (const byte of ticksOf(shown.y0, shown.y1, 6, true)) {
      const y = Math.round(this.y(byte)) - 0.5;
      context.fillText(formatShort(byte), this.left - 6 * this.ratio, y);
      this.line(context, this.left - 4 * this.ratio, y, this.left, y);
    }
    const bottom = this.top + this.height;
    context.textAlign = 'center';
    for (const task of ticksOf(x0, x1, 8, false)) {
      const x = Math.round(this.x(task)) + 0.5;
      context.fillText(formatInteger(task), x, bottom + 14 * this.ratio);
      this.line(context, x, bottom, x, bottom + 4 * this.ratio);
    }
    context.strokeRect(this.left - 0.5, this.top - 0.5, this.width + 1, this.height + 1);
  }

  line(context, x0, y0, x1, y1) {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }

  // Writes names into the largest rectangles, in black or white, whichever has
  // more contrast.
  drawLabels(context, palette, shades) {
    const {solids, solidCount} = this.raster;
    const rows = [];
    for (let k = 0; k < solidCount; ++k) {
      const width = solids[5 * k + 2] - solids[5 * k];
      const height = solids[5 * k + 3] - solids[5 * k + 1];
      if (width >= 24 * this.ratio && height >= 13 * this.ratio && solids[5 * k + 4] >= 0) {
        rows.push([width * height, k]);
      }
    }
    rows.sort((a, b) => b[0] - a[0]);
    this.font(context);
    context.textAlign = 'left';
    for (const [, k] of rows.slice(0, MAX_LABELS)) {
      const [left, top, right, bottom, record] = solids.subarray(5 * k, 5 * k + 5);
      const room = right - left - 8 * this.ratio;
      const text = cut(this.plan.trace.label(record), Math.floor(room / (6.2 * this.ratio)));
      if (text.length < 1 || context.measureText(text).width > room) continue;
      context.fillStyle = luminance(palette[shades[record]]) > 0.18 ? '#000' : '#fff';
      context.fillText(text, this.left + left + 4 * this.ratio,
        this.top + (top + bottom) / 2);
    }
  }

  drawBands(context) {
    const {theme} = this.view;
    if (this.plan.bands.length === 0) return;
    this.font(context);
    context.strokeStyle = theme.css('muted');
    context.textAlign = 'right';
    let labelled = Infinity;
    for (const band of this.plan.bands) {
      const y = Math.round(this.y(Number(band.begin))) - 0.5;
      if (y < this.top || y > this.top + this.height) continue;
      this.line(context, this.left, y, this.left + this.width, y);
      if (labelled - y < 14 * this.ratio) continue;
      labelled = y;
      this.text(context, cut(band.name, 40), this.left + this.width - 4 * this.ratio,
        y - 8 * this.ratio, 'text');
    }
  }

  // Writes text with an outline, so that it can be read on any background.
  text(context, text, x, y, colour) {
    const {theme} = this.view;
    context.lineWidth = 4 * this.ratio;
    context.strokeStyle = theme.css('plot');
    context.strokeText(text, x, y);
    context.fillStyle = theme.css(colour);
    context.fillText(text, x, y);
    context.lineWidth = Math.max(1, Math.round(this.ratio));
  }

  drawLines(context) {
    const {plan} = this;
    const lines = [[plan.total, 'total', 'total', []],
      [plan.bound, 'bound', 'lower bound', [6, 4]]];
    if (plan.bound === plan.total) {
      lines.splice(0, 2, [plan.total, 'total', 'total = lower bound', []]);
    }
    if (plan.capacity !== null) lines.push([plan.capacity, 'capacity', 'capacity', [2, 3]]);
    for (const band of plan.bands) {
      if (band.capacity === null) continue;
      lines.push([add(band.begin, band.capacity), 'capacity',
        `capacity of ${cut(band.name, 30)}`, [2, 3]]);
    }
    this.font(context);
    let place = 0;
    for (const [bytes, colour, name, dash] of lines) {
      const y = Math.round(this.y(Number(bytes))) - 0.5;
      if (y < this.top - 1 || y > this.top + this.height) continue;
      context.setLineDash(dash.map((length) => length * this.ratio));
      context.strokeStyle = this.view.theme.css(colour);
      this.line(context, this.left, y, this.left + this.width, y);
      context.setLineDash([]);
      context.textAlign = 'left';
      this.text(context, `${name} ${formatShort(bytes)}`,
        this.left + (6 + 170 * place++) * this.ratio, Math.max(y - 8 * this.ratio, 8), colour);
    }
  }

  // Returns the columns of pixels that contain a peak. If several peaks share a
  // column, it is listed only once.
  peakColumns() {
    const peaks = this.plan.trace.peaks.values;
    const {x0, x1} = this.window();
    const step = (x1 - x0) / this.width;
    const columns = [];
    for (let k = lowerBound(peaks, x0 - 1); k < peaks.length && peaks[k] < x1;) {
      const x = Math.round(this.x(peaks[k] + 0.5));
      if (x >= this.left && x <= this.left + this.width) columns.push(x);
      k = Math.max(k + 1, lowerBound(peaks, peaks[k] + step));
    }
    return columns;
  }

  drawPeaks(context) {
    context.fillStyle = this.view.theme.css('mark');
    context.strokeStyle = this.view.theme.css('mark');
    for (const x of this.peakColumns()) {
      const size = 5 * this.ratio;
      context.beginPath();
      context.moveTo(x - size, this.top - 2 * size);
      context.lineTo(x + size, this.top - 2 * size);
      context.lineTo(x, this.top);
      context.fill();
      context.setLineDash([3 * this.ratio, 5 * this.ratio]);
      this.line(context, x + 0.5, this.top, x + 0.5, this.top + this.height);
      context.setLineDash([]);
    }
  }

  // Outlines the records of the violation that the verifier found, and hatches
  // the bytes that they share.
  drawWitness(context) {
    const {violation} = this.plan.header;
    if (violation === null) return;
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.width, this.height);
    context.clip();
    context.strokeStyle = this.view.theme.css('mark');
    context.lineWidth = 3 * this.ratio;
    for (const record of violation.records) this.outline(context, record);
    if (violation.shared) {
      const {begin, end, first, last} = violation.shared;
      const left = this.x(Number(first));
      const right = Math.max(left + 3 * this.ratio, this.x(Number(last) + 1));
      const bottom = this.y(Number(begin));
      const top = Math.min(bottom - 3 * this.ratio, this.y(Number(end)));
      this.crossHatch(context, left, top, right, bottom);
    }
    context.restore();
  }

  crossHatch(context, left, top, right, bottom) {
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.lineWidth = 1.5 * this.ratio;
    const step = 8 * this.ratio;
    const [x0, x1] = [Math.max(left, 0), Math.min(right, this.canvas.width)];
    const [y0, y1] = [Math.max(top, 0), Math.min(bottom, this.canvas.height)];
    for (let x = x0 - (y1 - y0); x < x1; x += step) {
      this.line(context, x, y0, x + (y1 - y0), y1);
      this.line(context, x, y1, x + (y1 - y0), y0);
    }
    context.strokeRect(x0, y0, x1 - x0, y1 - y0);
  }

  outline(context, record) {
    const {left, top, right, bottom} = this.place(record);
    const x = this.left + left * this.ratio;
    const y = this.top + top * this.ratio;
    const width = Math.max((right - left) * this.ratio, 2);
    const height = Math.max((bottom - top) * this.ratio, 2);
    context.strokeRect(Math.round(x), Math.round(y), Math.round(width), Math.round(height));
  }

  // Outlines the record under the pointer and the pinned record.
  drawOverlay() {
    const {view} = this;
    const context = this.overlay.getContext('2d');
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.width, this.height);
    context.clip();
    for (const [chosen, colour, width] of [[view.hovered, 'text', 2], [view.pinned, 'mark', 3]]) {
      const record = chosen && view.linked(chosen, this.plan.trace);
      if (record === null || record === undefined) continue;
      context.lineWidth = (width + 2) * this.ratio;
      context.strokeStyle = view.theme.css('plot');
      this.outline(context, record);
      context.lineWidth = width * this.ratio;
      context.strokeStyle = view.theme.css(colour);
      this.outline(context, record);
    }
    context.restore();
  }

  // Returns a description of the picture for readers who cannot see it.
  sentence() {
    const {plan} = this;
    const {x0, x1, y0, y1} = this.window();
    const {trace} = plan;
    return `${plan.header.title}: ${count(trace.length, 'tensor')} in ` +
      `${formatBytes(plan.total)}, lower bound ${formatBytes(plan.bound)}` +
      `${plan.header.violation ? ', UNSAFE' : ''}. Shown: tasks ` +
      `${formatInteger(Math.floor(x0))} to ${formatInteger(Math.max(0, Math.ceil(x1) - 1))}, ` +
      `bytes ${formatInteger(Math.round(y0))} to ${formatInteger(Math.round(y1))}.`;
  }
}
