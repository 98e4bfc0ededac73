// SPDX-License-Identifier: Apache-2.0
// "Why this big?": what the header of each plan says of its bound, its waste and
// the chain of tensors below its highest byte. All is computed before.

// A block is {text}, {title} or {title, columns, rows}; a row may have the index
// of a record, which its first cell then leads to.
function reasonBlock(view, plan, block) {
  const nodes = [];
  if (block.title) nodes.push(element('h3', {}, block.title));
  if (block.text) nodes.push(element('p', {}, block.text));
  if (!block.rows) return nodes;
  const table = element('table', {class: 'data'});
  const head = element('tr', {});
  block.columns.forEach((title) => head.append(element('th', {scope: 'col'}, title)));
  table.append(element('thead', {}, head));
  const body = element('tbody', {});
  for (const {record, cells} of block.rows) {
    const row = element('tr', {});
    cells.forEach((cell, k) => {
      const isNumber = /^\d+$/.test(cell);
      const text = isNumber ? formatInteger(cell) : cell;
      row.append(element('td', isNumber ? {class: 'number'} : {},
        k === 0 && record !== undefined ? recordLink(view, plan, record) : text));
    });
    body.append(row);
  }
  table.append(body);
  nodes.push(table);
  return nodes;
}

function recordLink(view, plan, record) {
  return element('button', {
    type: 'button', class: 'link', onclick: () => view.pin({trace: plan.trace, record}, true),
  }, plan.trace.label(record));
}

function showReasons(view) {
  const body = byId('why-body');
  let hasAny = false;
  for (const plan of view.plans) {
    const {why} = plan.header;
    if (!why || why.length === 0) continue;
    hasAny = true;
    if (view.plans.length > 1) body.append(element('h3', {}, plan.header.title));
    for (const block of why) body.append(...reasonBlock(view, plan, block));
  }
  byId('why').hidden = !hasAny;
}
