// SPDX-License-Identifier: Apache-2.0
// Search by id, name, operator, size and task. A search of a million records is
// done in parts, so that the page answers meanwhile.

const SEARCH_PART = 20000;
const MAX_LISTED = 200;

// A function of (trace, record), or an error as a string.
function parseQuery(query) {
  const text = query.trim();
  if (text.startsWith('@')) {
    const task = Number(text.slice(1).replace(/,/g, ''));
    if (!/^@[\d,]+$/.test(text)) return 'expected @ and the number of a task';
    return (trace, i) => trace.firsts[i] <= task && task < trace.ends[i];
  }
  const size = /^(>=|<=|>|<|=)(.*)$/.exec(text);
  if (size !== null) return sizeQuery(size[1], parseBytes(size[2]));
  const pattern = /^\/(.*)\/(i?)$/.exec(text);
  if (pattern !== null) {
    try {
      const regexp = new RegExp(pattern[1], `${pattern[2]}u`);
      return textQuery((value) => regexp.test(value));
    } catch (error) {
      return 'not a regular expression';
    }
  }
  const wanted = text.toLowerCase();
  return textQuery((value) => value.toLowerCase().includes(wanted));
}

function sizeQuery(relation, bytes) {
  if (Number.isNaN(bytes)) return 'expected a size, as >1MiB';
  const holds = {
    '>': (size) => size > bytes,
    '<': (size) => size < bytes,
    '>=': (size) => size >= bytes,
    '<=': (size) => size <= bytes,
    '=': (size) => size === bytes,
  }[relation];
  return (trace, i) => holds(trace.sizes[i]);
}

function textQuery(matches) {
  const operators = new Map();  // by task, for many tensors have the same
  const matchesOperator = (trace, i) => {
    if (!trace.operators || !trace.producers) return false;
    const task = trace.producer(i);
    if (!operators.has(task)) operators.set(task, matches(trace.operator(task)));
    return operators.get(task);
  };
  return (trace, i) => matches(trace.id(i)) || (trace.names && matches(trace.name(i))) ||
    matchesOperator(trace, i);
}

class Search {
  constructor(view) {
    this.view = view;
    this.run = 0;
    this.clear();
  }

  clear() {
    this.found = [];
    this.current = -1;
    this.query = '';
  }

  // Resolves to the number of results.
  async find(query) {
    const run = ++this.run;
    this.clear();
    this.query = query;
    byId('search-count').textContent = '';
    byId('results').hidden = true;
    if (query.trim() === '') return 0;
    const matches = parseQuery(query);
    if (typeof matches === 'string') {
      byId('search-count').textContent = matches;
      return 0;
    }
    const {trace} = this.view.plans[0];
    for (let begin = 0; begin < trace.length; begin += SEARCH_PART) {
      const end = Math.min(begin + SEARCH_PART, trace.length);
      for (let i = begin; i < end; ++i) if (matches(trace, i)) this.found.push(i);
      if (end === trace.length) break;
      await new Promise((resolve) => setTimeout(resolve));
      if (run !== this.run) return 0;
    }
    this.list();
    this.showCount();
    return this.found.length;
  }

  showCount() {
    const total = formatInteger(this.found.length);
    const text = this.current < 0 ? `${total} found`
      : `${formatInteger(this.current + 1)} of ${total}`;
    byId('search-count').textContent = text;
    this.view.say(text);
  }

  list() {
    const {trace} = this.view.plans[0];
    const list = byId('result-list');
    list.replaceChildren();
    this.found.slice(0, MAX_LISTED).forEach((record, place) => {
      const button = element('button',
        {type: 'button', class: 'link', onclick: () => this.show(place)}, trace.label(record));
      list.append(element('li', {}, button, ` ${formatBytes(trace.size.at(record))}, tasks ` +
        `${formatInteger(trace.first.at(record))} to ${formatInteger(trace.last(record))}`));
    });
    byId('results').hidden = this.found.length === 0;
    byId('results-title').textContent = this.found.length > MAX_LISTED
      ? `The first ${MAX_LISTED} of ${formatInteger(this.found.length)} results` : 'Results';
  }

  // The result `steps` after the current one, zoomed in on.
  step(steps) {
    if (this.found.length === 0) return;
    const start = this.current < 0 && steps < 0 ? 0 : this.current;
    this.show((start + steps + this.found.length) % this.found.length);
  }

  show(place) {
    this.current = place;
    const buttons = byId('result-list').querySelectorAll('button');
    buttons.forEach((button, i) => {
      if (i === place) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    });
    this.showCount();
    this.view.pin({trace: this.view.plans[0].trace, record: this.found[place]}, true);
  }
}
