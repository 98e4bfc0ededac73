// SPDX-License-Identifier: Apache-2.0
// Sorts a table by a column. The first click on a head sorts its column in
// rising order, and the next click in falling order.

function keyOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.key === undefined ? cell.textContent : BigInt(cell.dataset.key);
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const isDown = heads[column].getAttribute('aria-sort') === 'ascending';
  const rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
  const sign = isDown ? -1 : 1;
  rows.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x === y) return 0;
    return x < y ? -sign : sign;
  });
  table.tBodies[0].append(...rows);
  heads.forEach((head) => head.removeAttribute('aria-sort'));
  heads[column].setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
  document.getElementById('live').textContent =
    `Sorted by ${heads[column].textContent}, ${isDown ? 'descending' : 'ascending'}`;
}

for (const table of document.querySelectorAll('table.sortable')) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.querySelector('button').addEventListener('click', () => sortBy(table, column));
  });
}
