// SPDX-License-Identifier: Apache-2.0
// Chooses the colours of records. A palette has 256 entries, and one byte for
// each record is the index of its entry. People with any colour vision can
// distinguish the hues, which are those of Okabe and Ito. Edges, labels and the
// legend give the same information without colour.

const HUES = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0],
  [86, 180, 233], [204, 121, 167], [240, 228, 66], [153, 153, 153],
];

// The colours of small to large values. In the light theme each colour is
// darker than the one before it, and in the dark theme it is lighter.
const RAMP = [[240, 228, 66], [86, 180, 233], [0, 114, 178], [0, 50, 84]];
const DARK_RAMP = [[52, 108, 150], [50, 130, 186], [86, 180, 233], [240, 228, 66]];

function packColour([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

function mix(a, b, share) {
  return a.map((value, i) => Math.round(value + (b[i] - value) * share));
}

// Returns the relative luminance of a colour, as defined by WCAG 2.
function luminance(colour) {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Returns the colour that the browser computes for a variable of page.css.
function cssColour(name) {
  const probe = element('span', {});
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const numbers = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return numbers;
}

// The colours of the current scheme, which is light, dark or forced.
class Theme {
  constructor() {
    for (const name of ['text', 'muted', 'plot', 'plain', 'edge', 'grid', 'mark', 'gap',
      'ghost', 'curve']) {
      this[name] = cssColour(name);
    }
    for (const name of ['total', 'bound', 'capacity']) this[name] = cssColour(`line-${name}`);
    this.isDark = luminance(this.plot) < 0.2;
    this.ramp = this.isDark ? DARK_RAMP : RAMP;
  }

  css(name) {
    return `rgb(${this[name].join(' ')})`;
  }

  rampAt(share) {
    const place = Math.min(Math.max(share, 0), 1) * (this.ramp.length - 1);
    const step = Math.min(Math.floor(place), this.ramp.length - 2);
    return mix(this.ramp[step], this.ramp[step + 1], place - step);
  }
}

// Returns a colouring of the records. Its `shades` has an entry of the palette
// for each record. Its `isRamp` is true if the entries form a scale, in which
// case the mean of two entries is meaningful. Its `legend` has pairs [entry,
// text].
function makeColouring(mode, trace) {
  const make = {
    lifetime: () => logColouring(trace.length, (i) => trace.ends[i] - trace.firsts[i],
      (value) => count(value, 'task')),
    size: () => logColouring(trace.length, (i) => trace.sizes[i], formatShort),
    value: () => linearColouring(trace.length, (i) => trace.value.values[i], formatShort),
    operator: () => operatorColouring(trace),
    id: () => idColouring(trace),
    plain: () => ({shades: new Uint8Array(trace.length), isRamp: true, legend: []}),
  }[mode];
  return {mode, ...make()};
}

// Returns the colouring modes that are possible for a trace, with their names.
function colourModes(trace) {
  const modes = [['lifetime', 'Lifetime'], ['size', 'Size'], ['id', 'Tensor'],
    ['plain', 'One colour']];
  if (trace.value) modes.splice(2, 0, ['value', 'Marginal value']);
  if (trace.operators && trace.producers) modes.splice(2, 0, ['operator', 'Operator']);
  return modes;
}

function logColouring(n, valueOf, format) {
  return scaleColouring(n, valueOf, (value) => Math.log2(value + 1),
    (share) => 2 ** share - 1, format);
}

function linearColouring(n, valueOf, format) {
  return scaleColouring(n, valueOf, (value) => value, (share) => share, format);
}

function scaleColouring(n, valueOf, scale, unscale, format) {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < n; ++i) {
    const value = scale(valueOf(i));
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const shades = new Uint8Array(n);
  const factor = most > least ? 255 / (most - least) : 0;
  for (let i = 0; i < n; ++i) shades[i] = Math.round((scale(valueOf(i)) - least) * factor);
  const legend = [];
  for (let step = 0; step < 5 && n > 0; ++step) {
    const value = Math.round(unscale(least + (most - least) * step / 4));
    const text = format(value);
    if (legend.length === 0 || legend[legend.length - 1][1] !== text) {
      legend.push([Math.round(255 * step / 4), text]);
    }
  }
  return {shades, isRamp: true, legend};
}

// Colours tensors by the operator that writes them. If there are more than
// eight operators, each of the seven that write the most tensors has its own
// hue, and all others share one hue.
function operatorColouring(trace) {
  const counts = new Map();
  const names = new Array(trace.length);
  for (let i = 0; i < trace.length; ++i) {
    names[i] = trace.operator(trace.producer(i), 200) || 'not known';
    counts.set(names[i], (counts.get(names[i]) || 0) + 1);
  }
  const order = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const fits = order.length <= HUES.length;
  const kept = new Map(order.slice(0, fits ? 8 : 7).map((name, hue) => [name, hue]));
  const shades = Uint8Array.from(names, (name) => (kept.has(name) ? kept.get(name) : 7));
  const legend = [...kept].map(([name, hue]) => [hue, cut(name, 40)]);
  if (!fits) legend.push([7, `${order.length - 7} others`]);
  return {shades, isRamp: false, legend};
}

// Colours tensors by id. An id has the same hue in every plan and page.
function idColouring(trace) {
  const shades = new Uint8Array(trace.length);
  for (let i = 0; i < trace.length; ++i) {
    let hash = 7;
    for (const c of trace.id(i, 64)) hash = (Math.imul(hash, 31) + c.codePointAt(0)) >>> 0;
    shades[i] = Math.imul(hash, 2654435761) >>> 29;
  }
  return {shades, isRamp: false, legend: [[0, 'a hue for each tensor, eight in all']]};
}

// Returns the colours of the 256 entries, each as [red, green, blue].
function makePalette(colouring, theme) {
  const palette = new Array(256);
  for (let entry = 0; entry < 256; ++entry) {
    if (colouring.mode === 'plain') palette[entry] = theme.plain;
    else if (colouring.isRamp) palette[entry] = theme.rampAt(entry / 255);
    else palette[entry] = HUES[entry % HUES.length];
  }
  return palette;
}

function showLegend(colouring, palette) {
  const legend = byId('legend');
  legend.replaceChildren();
  for (const [entry, text] of colouring.legend) {
    const swatch = element('span', {class: 'swatch', 'aria-hidden': 'true'});
    swatch.style.background = `rgb(${palette[entry].join(' ')})`;
    legend.append(element('span', {}, swatch, text));
  }
  legend.append(element('span', {class: 'muted'},
    'Shade: the share of a pixel that is in use.'));
}
