// SPDX-License-Identifier: Apache-2.0
// Searches all traces of the page by id, name, operator, size and task. A long
// search runs in parts, so that the page can respond to the user between them.

const SEARCH_PART = 20000;
const MAX_LISTED = 200;

// Returns a function that returns whether record `i` of a trace matches the
// query. If the query is not valid, returns a string with the error instead.
function parseQuery(query) {
  const text = query.trim();
  if (text.startsWith('@')) {
    if (!/^@[\d,]*\d[\d,]*$/.test(text)) return 'expected @ and the number of a task';
    const task = parseDecimal(text.slice(1).replace(/,/g, ''));
    return (trace, i) => trace.isLiveAt(i, task);
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
  const operators = new Map();  // by task, because tensors share tasks
  const matchesOperator = (trace, i) => {
    if (!trace.operators || !trace.producers) return false;
    const task = trace.producer(i);
    if (!operators.has(task)) operators.set(task, matches(trace.operator(task)));
    return operators.get(task);
  };
  return (trace, i) => matches(trace.id(i)) || (trace.names && matches(trace.name(i))) ||
    matchesOperator(trace, i);
}

// The records that were found, grouped by trace.
class SearchResults {
  constructor() {
    this.parts = [];  // {trace, records}
    this.length = 0;
  }

  add(trace, records) {
    this.parts.push({trace, records});
    this.length += records.length;
  }

  at(place) {
    let left = place;
    for (const {trace, records} of this.parts) {
      if (left < records.length) return {trace, record: records[left]};
      left -= records.length;
    }
    return null;
  }
}

class Search {
  constructor(view) {
    this.view = view;
    this.run = 0;
    this.clear();
  }

  clear() {
    this.found = new SearchResults();
    this.current = -1;
    this.query = '';
  }

  // Searches, and resolves to the number of results.
  async find(query) {
    const run = ++this.run;
    this.clear();
    this.query = query;
    byId('search-count').textContent = '';
    byId('results').hidden = true;
    if (query.trim() === '') return 0;
    if (typeof parseQuery(query) === 'string') {
      byId('search-count').textContent = parseQuery(query);
      return 0;
    }
    const found = new SearchResults();
    for (const trace of new Set(this.view.plans.map((plan) => plan.trace))) {
      const records = await this.findIn(trace, parseQuery(query), found, run);
      if (records === null) return 0;
      found.add(trace, records);
    }
    this.found = found;
    this.list();
    this.showCount();
    return found.length;
  }

  // Returns the records of a trace that match. Omits a record if the same
  // tensor was already found in the first trace. Returns null if another search
  // has started in the meantime.
  async findIn(trace, matches, found, run) {
    const known = found.length > 0 ? new Set(found.parts[0].records) : null;
    const isKnown = (i) => known !== null && known.has(trace.linkToBase(i));
    const records = [];
    for (let begin = 0; begin < trace.length; begin += SEARCH_PART) {
      const end = Math.min(begin + SEARCH_PART, trace.length);
      for (let i = begin; i < end; ++i) if (matches(trace, i) && !isKnown(i)) records.push(i);
      if (end === trace.length) break;
      await new Promise((resolve) => setTimeout(resolve));
      if (run !== this.run) return null;
    }
    return records;
  }

  showCount() {
    const total = formatInteger(this.found.length);
    const text = this.current < 0 ? `${total} found`
      : `${formatInteger(this.current + 1)} of ${total}`;
    byId('search-count').textContent = text;
    this.view.say(text);
  }

  list() {
    const list = byId('result-list');
    list.replaceChildren();
    for (let place = 0; place < Math.min(MAX_LISTED, this.found.length); ++place) {
      const {trace, record} = this.found.at(place);
      const button = element('button',
        {type: 'button', class: 'link', onclick: () => this.show(place)}, trace.label(record));
      list.append(element('li', {}, button, ` ${formatBytes(trace.size.at(record))}, tasks ` +
        `${formatInteger(trace.first.at(record))} to ${formatInteger(trace.last(record))}` +
        this.placeOf(trace)));
    }
    byId('results').hidden = this.found.length === 0;
    byId('results-title').textContent = this.found.length > MAX_LISTED
      ? `The first ${MAX_LISTED} of ${formatInteger(this.found.length)} results` : 'Results';
  }

  // Returns a text that names a plan of the trace. The text is empty for the
  // first trace.
  placeOf(trace) {
    const {plans} = this.view;
    if (trace === plans[0].trace) return '';
    return `, in ${plans.find((plan) => plan.trace === trace).header.title}`;
  }

  // Zooms in on the result that is `steps` positions after the current result.
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
    this.view.pin(this.found.at(place), true);
  }
}
