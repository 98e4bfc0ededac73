// SPDX-License-Identifier: Apache-2.0
// The table of the tensors that are live at a peak. Only visible rows have
// elements, because hundreds of thousands of tensors may be live at the peak of
// a large trace.

const ROW_HEIGHT = 26;  // CSS pixels, as in page.css
// The maximum height of the table, in CSS pixels. It is needed because browsers
// limit the height of an element. If the rows are higher in total, the scroll
// bar skips rows.
const MAX_SPACE = 8e6;
const PRINTED_ROWS = 60;

class PeakTable {
  constructor(view) {
    this.view = view;
    this.plan = view.plans[0];
    this.rows = [];
    this.order = this.plan.trace.value ? 'value' : 'size';
    this.start = -1;
    byId('table-scroll').addEventListener('scroll', () => this.show());
    byId('table-peak').addEventListener('change', () => this.choose());
    byId('table-plan').addEventListener('change', () => this.choose());
    byId('copy').addEventListener('click', () => this.copy());
    view.plans.forEach((plan, i) => {
      byId('table-plan').append(element('option', {value: String(i)},
        cut(plan.header.title, 60)));
    });
    byId('table-plan-label').hidden = view.plans.length < 2;
    this.choose();
  }

  columns() {
    const {plan} = this;
    const {trace} = plan;
    const whole = trace.peak;
    const columns = [
      {key: 'id', title: 'Id', text: (i) => cut(trace.id(i, 400), 120)},
      {key: 'size', title: 'Bytes', number: trace.sizes, down: true, value: (i) => trace.size.at(i)},
      {key: 'share', title: 'Of the peak', right: true,
        text: (i) => formatShare(trace.size.at(i), whole)},
      {key: 'first', title: 'First task', number: trace.firsts, value: (i) => trace.first.at(i)},
      {key: 'last', title: 'Last task', right: true, value: (i) => trace.last(i)},
      {key: 'life', title: 'Lifetime', number: trace.life.values, down: true,
        value: (i) => trace.lifetime(i)},
      {key: 'offset', title: 'Offset', number: plan.firstBytes, value: (i) => plan.firstByte(i)},
    ];
    if (plan.bands.length > 0) {
      columns.push({key: 'band', title: 'In', text: (i) => cut(plan.bandName(i), 60)});
    }
    if (trace.names) {
      columns.splice(1, 0, {key: 'name', title: 'Name', text: (i) => cut(trace.name(i, 400), 120)});
    }
    if (trace.value) {
      columns.splice(1, 0, {key: 'value', title: 'Marginal value', number: trace.value.values,
        down: true, value: (i) => trace.value.at(i)});
    }
    return columns;
  }

  choosePlan(number) {
    byId('table-plan').value = String(number);
    this.choose();
  }

  // Shows the rows of the peak and the plan that the user has chosen.
  choose() {
    this.plan = this.view.plans[Number(byId('table-plan').value) || 0];
    const {trace} = this.plan;
    if (this.shownTrace !== trace) this.listPeaks(trace);
    const task = trace.peaks.at(Number(byId('table-peak').value) || 0);
    this.rows = task === undefined ? [] : trace.liveAt(task);
    byId('table-title').textContent = task === undefined ? 'Nothing is live at any task'
      : `Live at the peak, task ${formatInteger(task)}`;
    byId('table-note').textContent = task === undefined ? ''
      : `${count(this.rows.length, 'tensor')}, ${formatBytes(trace.peak)}`;
    this.sort(this.order);
  }

  listPeaks(trace) {
    this.shownTrace = trace;
    const select = byId('table-peak');
    select.replaceChildren();
    for (let i = 0; i < Math.min(1000, trace.peaks.values.length); ++i) {
      select.append(element('option', {value: String(i)},
        `task ${formatInteger(trace.peaks.at(i))}`));
    }
  }

  sort(key) {
    const column = this.columns().find((c) => c.key === key && c.number) ||
      this.columns().find((c) => c.key === 'size');
    this.order = column.key;
    const {number} = column;
    const sign = column.down ? -1 : 1;
    this.rows.sort((a, b) => sign * (number[a] - number[b]) || a - b);
    this.showHead();
    byId('table-scroll').scrollTop = 0;
    this.start = -1;
    this.show();
  }

  showHead() {
    const head = byId('table-head');
    head.replaceChildren();
    for (const column of this.columns()) {
      const cell = element('th', {scope: 'col'});
      if (column.number) {
        const button = element('button', {
          type: 'button', onclick: () => this.sort(column.key),
        }, column.title);
        cell.append(button);
        if (column.key === this.order) {
          cell.setAttribute('aria-sort', column.down ? 'descending' : 'ascending');
          button.append(element('span', {'aria-hidden': 'true'}, column.down ? ' ▼' : ' ▲'));
        }
      } else {
        cell.append(column.title);
      }
      head.append(cell);
    }
    byId('peak-table').setAttribute('aria-rowcount', String(this.rows.length + 1));
  }

  show() {
    const scroll = byId('table-scroll');
    const visibleRows = Math.ceil((scroll.clientHeight || 420) / ROW_HEIGHT) + 1;
    const head = byId('table-head').offsetHeight + 1;
    const space = Math.min(head + this.rows.length * ROW_HEIGHT, MAX_SPACE);
    byId('table-space').style.height = `${space}px`;
    const hidden = Math.max(0, this.rows.length + 2 - visibleRows);
    const share = scroll.scrollTop / Math.max(1, space - scroll.clientHeight);
    const start = Math.round(Math.min(1, share) * hidden);
    if (start !== this.start) this.showRows(start, visibleRows);
  }

  showRows(start, wanted) {
    this.start = start;
    const columns = this.columns();
    const body = byId('table-body');
    const rows = this.rows.slice(start, start + wanted)
      .map((record, i) => this.row(record, start + i, columns));
    body.replaceChildren(...rows);
  }

  row(record, place, columns) {
    const row = element('tr', {'aria-rowindex': String(place + 2)});
    columns.forEach((column, k) => {
      const text = column.text ? column.text(record) : formatInteger(column.value(record));
      const cell = element('td', column.number || column.right ? {class: 'number'} : {});
      if (k === 0) {
        cell.append(element('button', {
          type: 'button', class: 'link',
          onclick: () => this.view.pin({trace: this.plan.trace, record}, true),
        }, text));
      } else {
        cell.append(text);
      }
      row.append(cell);
    });
    return row;
  }

  // Returns all rows as CSV, in the order of the table.
  csv() {
    const columns = this.columns().filter((column) => column.key !== 'share');
    const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const {trace} = this.plan;
    const full = {id: (i) => trace.id(i), name: (i) => trace.name(i),
      band: (i) => this.plan.bandName(i)};
    const lines = [columns.map((column) => column.title.toLowerCase().replace(/ /g, '_')).join(',')];
    for (const i of this.rows) {
      lines.push(columns.map((column) => quote(
        full[column.key] ? full[column.key](i) : String(column.value(i)))).join(','));
    }
    return `${lines.join('\n')}\n`;
  }

  async copy() {
    const text = this.csv();
    try {
      await navigator.clipboard.writeText(text);
    } catch (error) {
      const field = element('textarea', {'aria-label': 'CSV'});
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    this.view.say(`Copied ${count(this.rows.length, 'row')}.`);
  }

  // Shows only the first rows, and the number of omitted rows. Used for
  // printing, because a printed table cannot be scrolled.
  showPrinted() {
    this.showRows(0, PRINTED_ROWS);
    if (this.rows.length <= PRINTED_ROWS) return;
    const text = `${formatInteger(this.rows.length - PRINTED_ROWS)} more`;
    byId('table-body').append(element('tr', {},
      element('td', {colspan: String(this.columns().length)}, text)));
  }
}
