// SPDX-License-Identifier: Apache-2.0
// Shows the section "Why this big?": the bound and the waste of each plan, and
// the chain of tensors below its highest byte. The texts are computed when the
// page is generated, and are stored in the header of the plan.

// Returns the elements of a block, which is {text}, {title} or {title, columns,
// rows}. If a row has the index of a record, its first cell is a link to this
// record.
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
  for (const [i, plan] of view.plans.entries()) {
    const {why} = plan.header;
    if (!why || why.length === 0) continue;
    hasAny = true;
    const part = element('div', {'data-plan': String(i)});
    if (view.plans.length > 1) part.append(element('h3', {}, plan.header.title));
    for (const block of why) part.append(...reasonBlock(view, plan, block));
    body.append(part);
  }
  byId('why').hidden = !hasAny;
}
