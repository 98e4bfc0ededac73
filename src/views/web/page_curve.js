// SPDX-License-Identifier: Apache-2.0
// The curve of the bytes that are live at each task. It is shown below a chart
// and has the same task axis.

const CURVE_HEIGHT = 92;  // CSS pixels

class Curve {
  constructor(view, trace, panel) {
    this.view = view;
    this.trace = trace;
    this.panel = panel;
    this.canvas = element('canvas', {class: 'curve', role: 'img'});
    this.most = Math.max(1, Number(trace.peak));
    for (const plan of view.plans) {
      if (plan.trace === trace) this.most = Math.max(this.most, Number(plan.total));
    }
  }

  layout(ratio, cssWidth) {
    this.ratio = ratio;
    this.canvas.width = Math.round(cssWidth * ratio);
    this.canvas.height = Math.round(CURVE_HEIGHT * ratio);
    this.canvas.style.height = `${CURVE_HEIGHT}px`;
    this.top = Math.round(6 * ratio);
    this.height = this.canvas.height - this.top - Math.round(18 * ratio);
  }

  draw() {
    const {panel, canvas} = this;
    const {theme} = this.view;
    const context = canvas.getContext('2d', {alpha: false});
    context.fillStyle = theme.css('plot');
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.drawUnused(context);
    this.drawLive(context);
    panel.font(context);
    context.fillStyle = theme.css('text');
    context.textAlign = 'right';
    const edge = panel.left - 6 * this.ratio;
    context.fillText(formatShort(this.most), edge, this.top + 5 * this.ratio);
    context.fillText('live', edge, this.top + this.height - 5 * this.ratio);
    context.textAlign = 'left';
    context.fillText('bytes live at each task; hatched: unused', panel.left,
      this.top + this.height + 10 * this.ratio);
    this.drawPeaks(context);
    canvas.setAttribute('aria-label', this.sentence());
  }

  // Hatches the whole plot. The height of the plot is the total of the largest
  // plan. The curve is drawn over the hatching afterwards.
  drawUnused(context) {
    const {panel} = this;
    context.save();
    context.beginPath();
    context.rect(panel.left, this.top, panel.width, this.height);
    context.clip();
    context.strokeStyle = this.view.theme.css('grid');
    context.lineWidth = this.ratio;
    for (let x = -this.height; x < panel.width; x += 7 * this.ratio) {
      panel.line(context, panel.left + x, this.top, panel.left + x + this.height,
        this.top + this.height);
    }
    context.restore();
  }

  // Draws the live bytes. Each column of pixels shows the maximum over its
  // tasks, so every peak is visible.
  drawLive(context) {
    const {panel} = this;
    const {x0, x1} = panel.window();
    const step = (x1 - x0) / panel.width;
    context.fillStyle = this.view.theme.css('curve');
    context.beginPath();
    context.moveTo(panel.left, this.top + this.height);
    for (let x = 0; x < panel.width; ++x) {
      const begin = x0 + x * step;
      const live = this.trace.profile.most(begin, Math.max(begin + step, Math.floor(begin) + 1));
      const y = this.top + this.height - live / this.most * this.height;
      context.lineTo(panel.left + x, y);
      context.lineTo(panel.left + x + 1, y);
    }
    context.lineTo(panel.left + panel.width, this.top + this.height);
    context.fill();
  }

  drawPeaks(context) {
    context.fillStyle = this.view.theme.css('mark');
    for (const x of this.panel.peakColumns()) {
      context.fillRect(x, this.top, Math.max(1, Math.round(this.ratio)), this.height);
    }
  }

  sentence() {
    const {trace} = this;
    const peaks = trace.peaks.values;
    if (peaks.length === 0) return 'No bytes are live at any task.';
    const tasks = [0, 1, 2].slice(0, peaks.length)
      .map((i) => formatInteger(trace.peaks.at(i))).join(', ');
    return `Bytes live at each task: at most ${formatBytes(trace.peak)}, at ` +
      `${count(peaks.length, 'task')}: ${tasks}${peaks.length > 3 ? ' and more' : ''}.`;
  }
}
