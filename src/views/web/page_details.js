// SPDX-License-Identifier: Apache-2.0
// Shows the facts about a tensor. For the tensor under the pointer, they are
// shown in a tip at the pointer. For the pinned tensor, they are shown in the
// details, together with its neighbours.

const MAX_NEIGHBOURS = 8;

// Returns the facts about a tensor as pairs [name, text].
function factsOf(plan, i) {
  const {trace} = plan;
  const facts = [['Id', cut(trace.id(i, 1000), 200)]];
  const addFact = (name, text) => text && facts.push([name, text]);
  addFact('Name', cut(trace.name(i, 1000), 200));
  const type = trace.types ? trace.types.at(i, 200) : '';
  const shape = trace.shapes ? trace.shapes.at(i, 400) : '';
  addFact('Type', cut([type, shape && `[${shape}]`].filter(Boolean).join(' '), 200));
  addFact('Size', formatBytes(trace.size.at(i)));
  const begin = plan.firstByte(i);
  addFact('Bytes', `[${formatInteger(begin)}, ${formatInteger(add(begin, trace.size.at(i)))})`);
  addFact('Tasks', `${formatInteger(trace.first.at(i))} to ${formatInteger(trace.last(i))}` +
    ` (${count(trace.lifetime(i), 'task')})`);
  addFact('In', cut(plan.bandName(i), 100));
  addFact('Written by', taskText(trace, trace.producer(i)));
  addFact('Read by', consumersText(trace, i));
  const isLive = trace.isLiveAt(i, trace.peaks.at(0));
  addFact('Of the peak', isLive ? formatShare(trace.size.at(i), trace.peak) : 'not live there');
  if (trace.value) {
    addFact('Marginal value', `${formatBytes(trace.value.at(i))}: ${trace.header.value_of} ` +
      'falls by as much without it');
  }
  return facts;
}

function taskText(trace, task) {
  if (task === null) return '';
  const name = trace.operator(task, 200);
  return `task ${formatInteger(task)}${name && ` (${cut(name, 60)})`}`;
}

function consumersText(trace, i) {
  if (!trace.consumers) return '';
  const tasks = trace.consumersOf(i);
  const shown = tasks.slice(0, 6).map((task) => taskText(trace, task));
  if (tasks.length > 6) shown.push(`${formatInteger(tasks.length - 6)} more`);
  return shown.join(', ');
}

function factList(facts) {
  const list = element('dl', {});
  for (const [name, text] of facts) {
    list.append(element('dt', {}, name), element('dd', {}, text));
  }
  return list;
}

// Returns the facts about a point at which there is no tensor.
function freeFacts(plan, task, byte) {
  const use = plan.useAt(Math.floor(task));
  const band = plan.bandAt(byte);
  const inBand = subtract(Math.floor(byte), plan.baseOf(band));
  return [
    ['Free', `byte ${formatInteger(inBand)} at task ${formatInteger(Math.floor(task))}`],
    ...plan.bands.slice(band, band + 1).map(({name}) => ['In', cut(name, 100)]),
    ...useFacts(use),
  ];
}

function useFacts(use) {
  return [['Live', formatBytes(use.live)], ['Gaps below a live tensor', formatBytes(use.gaps)],
    ['Free above', formatBytes(use.top)]];
}

function showTip(view, panel, event) {
  const tip = byId('tip');
  const box = panel.canvas.getBoundingClientRect();
  const x = event.clientX - box.left - panel.left / panel.ratio;
  const y = event.clientY - box.top - panel.top / panel.ratio;
  const point = panel.at(x, y);
  const isInside = x >= 0 && y >= 0 && x * panel.ratio < panel.width &&
    y * panel.ratio < panel.height;
  tip.hidden = !isInside;
  if (!isInside) return view.hover(null);
  const found = panel.plan.recordsAt(point.task, point.byte);
  view.hover(found.length > 0 ? {trace: panel.plan.trace, record: found[0]} : null);
  const facts = found.length > 0 ? factsOf(panel.plan, found[0])
    : freeFacts(panel.plan, point.task, point.byte);
  if (found.length > 1) facts.push(['Also here', count(found.length - 1, 'tensor')]);
  if (found.length > 0 && view.showGaps) {
    facts.push(...useFacts(panel.plan.useAt(Math.floor(point.task))));
  }
  tip.replaceChildren(factList(facts));
  const left = event.clientX + 16;
  tip.style.left = `${Math.max(4, Math.min(left, window.innerWidth - tip.offsetWidth - 8))}px`;
  const below = event.clientY + 18;
  const fits = below + tip.offsetHeight < window.innerHeight;
  tip.style.top = `${fits ? below : Math.max(4, event.clientY - tip.offsetHeight - 12)}px`;
  return undefined;
}

// Returns the neighbours of a record in its memory or object. `above` and
// `below` list the records above and below it that share a task with it, the
// nearest first. `before` and `after` list the records that use its bytes
// directly before and directly after it.
function neighboursOf(plan, record) {
  const {trace, offsets} = plan;
  const {firsts, ends, sizes} = trace;
  const begin = offsets[record];
  const end = begin + sizes[record];
  const band = plan.bandOf(record);
  const found = {above: [], below: [], before: [], after: []};
  for (let i = 0; i < trace.length; ++i) {
    if (i === record || sizes[i] === 0 || plan.bandOf(i) !== band) continue;
    const isLive = firsts[i] < ends[record] && firsts[record] < ends[i];
    if (isLive && offsets[i] >= end) found.above.push(i);
    else if (isLive && offsets[i] + sizes[i] <= begin) found.below.push(i);
    else if (isLive || offsets[i] >= end || offsets[i] + sizes[i] <= begin) continue;
    else if (ends[i] <= firsts[record]) found.before.push(i);
    else found.after.push(i);
  }
  found.above.sort((a, b) => offsets[a] - offsets[b] || a - b);
  found.below.sort((a, b) => offsets[b] + sizes[b] - offsets[a] - sizes[a] || a - b);
  found.before.sort((a, b) => ends[b] - ends[a] || a - b);
  found.after.sort((a, b) => firsts[a] - firsts[b] || a - b);
  found.before = uncovered(found.before, plan, begin, end);
  found.after = uncovered(found.after, plan, begin, end);
  return found;
}

// Returns the records of a list that hold a byte of [begin, end) that no
// earlier record of the list holds.
function uncovered(records, plan, begin, end) {
  let free = [[begin, end]];
  const kept = [];
  for (const i of records) {
    const low = plan.offsets[i];
    const high = low + plan.trace.sizes[i];
    const rest = [];
    let isNew = false;
    for (const [from, to] of free) {
      if (high <= from || to <= low) {
        rest.push([from, to]);
        continue;
      }
      isNew = true;
      if (from < low) rest.push([from, low]);
      if (high < to) rest.push([high, to]);
    }
    if (isNew) kept.push(i);
    free = rest;
    if (free.length === 0) break;
  }
  return kept;
}

function neighbourList(view, plan, title, records, distance) {
  const list = element('ul', {});
  for (const i of records.slice(0, MAX_NEIGHBOURS)) {
    const button = element('button', {
      type: 'button', class: 'link', onclick: () => view.pin({trace: plan.trace, record: i}, true),
    }, plan.trace.label(i));
    list.append(element('li', {}, button, ` ${formatBytes(plan.trace.size.at(i))}, tasks ` +
      `${formatInteger(plan.trace.first.at(i))} to ${formatInteger(plan.trace.last(i))}` +
      distance(i)));
  }
  const more = records.length - MAX_NEIGHBOURS;
  if (more > 0) list.append(element('li', {class: 'muted'}, `${formatInteger(more)} more`));
  if (records.length === 0) list.append(element('li', {class: 'muted'}, 'none'));
  return [element('h3', {}, title), list];
}

function gapText(gap) {
  return Number(gap) === 0 ? ', touches it' : `, ${formatBytes(gap)} between`;
}

function showDetails(view) {
  const {pinned} = view;
  byId('details').hidden = pinned === null;
  if (pinned === null) return;
  const body = byId('details-body');
  byId('details-title').textContent = `Tensor ${pinned.trace.label(pinned.record)}`;
  body.replaceChildren();
  for (const plan of view.plans) {
    const record = view.linked(pinned, plan.trace);
    if (record === null) continue;
    if (view.plans.length > 1) body.append(element('h3', {}, plan.header.title));
    body.append(factList(factsOf(plan, record)));
    const near = neighboursOf(plan, record);
    body.append(
      ...neighbourList(view, plan, 'Above', near.above,
        (i) => gapText(subtract(plan.offset.at(i), plan.end(record)))),
      ...neighbourList(view, plan, 'Below', near.below,
        (i) => gapText(subtract(plan.offset.at(record), plan.end(i)))),
      ...neighbourList(view, plan, 'Held its bytes before', near.before, () => ''),
      ...neighbourList(view, plan, 'Holds its bytes after', near.after, () => ''));
  }
}
