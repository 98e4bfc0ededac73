// SPDX-License-Identifier: Apache-2.0
// Starts the page: reads its blocks, shows the plans, and sets window.stowage
// for tests.

async function readTrace(key, header) {
  const read = async (name) => (header[name] ? readColumn(`${key}.${name}`, header[name]) : null);
  const texts = async (name) => (header[name] ? readTexts(`${key}.${name}`, header[name]) : null);
  const columns = {
    first: await read('first'), life: await read('life'), size: await read('size'),
    peaks: await read('peaks'), value: await read('value'), producers: await read('producers'),
    counts: await read('consumer_counts'), consumers: await read('consumers'),
    names: await texts('names'), types: await texts('types'), shapes: await texts('shapes'),
    operators: await texts('operators'), links: await read('links'),
    from: await read('aligned_from'), to: await read('aligned_to'),
  };
  columns.ids = header.ids.text ? await readTexts(`${key}.ids`, header.ids.text)
    : new NumberTexts(await readColumn(`${key}.ids`, header.ids.numbers));
  return new LinkedTrace(key, header, columns);
}

// A trace whose records and tasks are linked to those of the first trace of the
// page.
class LinkedTrace extends Trace {
  // Returns the record of the first trace that is the same tensor, or null if
  // there is none.
  linkToBase(record) {
    if (this.links === null) return record;
    const link = this.links.values[record];
    return link === 0 ? null : link - 1;
  }

  linkFromBase(base) {
    if (this.links === null) return base;
    if (!this.fromBaseLinks) {
      this.fromBaseLinks = new Map();
      this.links.values.forEach((link, i) => link > 0 && this.fromBaseLinks.set(link - 1, i));
    }
    return this.fromBaseLinks.has(base) ? this.fromBaseLinks.get(base) : null;
  }

  // Returns the position in the first trace that corresponds to a task. Tasks
  // between two aligned tasks are interpolated linearly.
  toBase(task) {
    return this.from === null ? task : mapTask(this.from.values, this.to.values, task);
  }

  fromBase(task) {
    return this.from === null ? task : mapTask(this.to.values, this.from.values, task);
  }

  consumersOf(i) {
    if (!this.consumerBegins) {
      this.consumerBegins = new Float64Array(this.length + 1);
      this.counts.values.forEach((n, k) => {
        this.consumerBegins[k + 1] = this.consumerBegins[k] + n;
      });
    }
    const tasks = [];
    for (let k = this.consumerBegins[i]; k < this.consumerBegins[i + 1]; ++k) {
      tasks.push(this.consumers.at(k));
    }
    return tasks;
  }
}

function mapTask(from, to, task) {
  const n = from.length;
  if (n === 0) return task;
  const k = lowerBound(from, task);
  if (k === 0) return task - from[0] + to[0];
  if (k === n) return task - from[n - 1] + to[n - 1];
  const share = (task - from[k - 1]) / (from[k] - from[k - 1]);
  return to[k - 1] + share * (to[k] - to[k - 1]);
}

function showHead(view) {
  byId('title').textContent = view.header.title;
  for (const [i, plan] of view.plans.entries()) {
    const {header} = plan;
    const trace = plan.trace;
    const name = view.plans.length > 1 ? `${header.title}: ` : '';
    const strategy = header.strategy ? `, ${header.strategy}` : '';
    const bound = header.optimal ? 'the lower bound'
      : `lower bound ${formatBytes(plan.bound)}${header.excess && ` (${header.excess})`}`;
    byId('summary').append(element('li', {'data-plan': String(i)},
      `${name}${count(trace.length, 'tensor')}, ` +
      `${count(parseDecimal(trace.header.tasks), 'task')}, ` +
      `${formatBytes(plan.total)}${strategy}; ${bound}: ${header.reason}` +
      `${header.cost && `; ${header.cost}`}`));
    if (header.violation === null) continue;
    byId('verdict').hidden = false;
    byId('verdict').append(element('span', {}, `UNSAFE: ${name}${header.violation.text} `));
  }
}

// Returns the object window.stowage, which tests of the page use. README.md in
// this folder describes it.
function offer(view, started) {
  const traces = [...new Set(view.plans.map((plan) => plan.trace))];
  const strings = (trace, at) => Array.from({length: trace.length}, (_, i) => String(at(i)));
  return {
    firstPictureMs: started,
    header: view.header,
    columns: (number = 0) => {
      const plan = view.plans[number];
      const {trace} = plan;
      return {
        id: strings(trace, (i) => trace.id(i)),
        first: strings(trace, (i) => trace.first.at(i)),
        last: strings(trace, (i) => trace.last(i)),
        size: strings(trace, (i) => trace.size.at(i)),
        offset: strings(trace, (i) => plan.offset.at(i)),
        value: trace.value ? strings(trace, (i) => trace.value.at(i)) : null,
      };
    },
    peaks: (number = 0) => [...view.plans[number].trace.peaks.values],
    useAt: (task, number = 0) => {
      const {live, gaps, top} = view.plans[number].useAt(task);
      return {live: String(live), gaps: String(gaps), top: String(top)};
    },
    breadth: (begin, end, number = 0) => view.plans[number].trace.profile.most(begin, end),
    state: () => ({
      window: {...view.window}, full: {...view.full}, colour: view.mode, gaps: view.showGaps,
      moved: view.showMoved, shown: view.shown, found: view.search.found.length, result: view.search.current,
      pinned: view.pinned === null ? null
        : {trace: traces.indexOf(view.pinned.trace), record: view.pinned.record},
    }),
    setWindow: (wanted) => {
      view.setWindow({...view.window, ...wanted});
      view.draw();
    },
    setColour: (mode) => {
      view.setColour(mode);
      view.draw();
    },
    setGaps: (isOn) => {
      view.showGaps = byId('waste').checked = isOn;
      view.draw();
    },
    hover: (x, y, number = 0) => {
      const panel = view.panels[number];
      const {task, byte} = panel.at(x, y);
      const found = panel.plan.recordsAt(task, byte);
      return found.length > 0 ? found[0] : -1;
    },
    place: (record, number = 0) => view.panels[number].place(record),
    plot: (number = 0) => {
      const {canvas, left, top, width, height, ratio} = view.panels[number];
      const box = canvas.getBoundingClientRect();
      return {x: box.left + left / ratio, y: box.top + top / ratio, width: width / ratio,
        height: height / ratio, ratio};
    },
    pixels: (number = 0) => {
      const {width, height, pixels, share} = view.panels[number].raster;
      return {width, height, pixels, share};
    },
    theme: () => ({...view.theme}),
    tableRows: () => [...view.table.rows],
    tableCsv: () => view.table.csv(),
    find: (query) => view.search.find(query),
    frame: () => {
      const begin = performance.now();
      view.draw();
      return performance.now() - begin;
    },
  };
}

async function start() {
  const header = JSON.parse(new TextDecoder().decode(await readBlock('header')));
  const traces = [];
  for (const [t, trace] of header.traces.entries()) traces.push(await readTrace(`t${t}`, trace));
  const plans = [];
  for (const [p, plan] of header.plans.entries()) {
    const offset = await readColumn(`p${p}.offset`, plan.offset);
    const band = plan.band ? await readColumn(`p${p}.band`, plan.band) : null;
    plans.push(new Plan(plan, traces[plan.trace], offset, band));
  }
  const view = new View(header, plans);
  showHead(view);
  byId('plans').append(...view.panels.map((panel) => panel.node));
  byId('message').hidden = true;
  connect(view);
  view.layout();
  view.readHash();
  view.draw();
  const started = performance.now();
  view.table = new PeakTable(view);
  showReasons(view);
  connectSlider(view);
  connectBrowser(view);
  window.stowage = offer(view, started);
}

start().catch((error) => {
  byId('message').textContent = `This page cannot be shown: ${error.message}. It needs a ` +
    'browser with DecompressionStream, as Chrome 80, Firefox 113 or Safari 16.4.';
  throw error;
});
