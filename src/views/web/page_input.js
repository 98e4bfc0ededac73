// SPDX-License-Identifier: Apache-2.0
// Connects the pointer, the keyboard, the controls and the printing of the page
// to the view.

function connectPointer(view, panel) {
  const {canvas} = panel;
  let drag = null;
  const pointAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const point = panel.at(event.clientX - box.left - panel.left / panel.ratio,
      event.clientY - box.top - panel.top / panel.ratio);
    return {task: panel.plan.trace.toBase(point.task), byte: point.byte};
  };
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    drag = {x: event.clientX, y: event.clientY, isMoved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (drag === null) return showTip(view, panel, event);
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.isMoved && Math.abs(dx) + Math.abs(dy) < 4) return undefined;
    const {x0, x1, y0, y1} = view.window;
    view.pan(-dx * panel.ratio / panel.width * (x1 - x0),
      dy * panel.ratio / panel.height * (y1 - y0));
    drag = {x: event.clientX, y: event.clientY, isMoved: true};
    byId('tip').hidden = true;
    return undefined;
  });
  canvas.addEventListener('pointerup', (event) => {
    const isClick = drag !== null && !drag.isMoved;
    drag = null;
    if (!isClick) return;
    showTip(view, panel, event);
    view.pin(view.hovered, false);
  });
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('pointerleave', () => {
    byId('tip').hidden = true;
    view.hover(null);
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const factor = 1.0015 ** Math.max(-400, Math.min(400, event.deltaY || event.deltaX));
    const {task, byte} = pointAt(event);
    view.zoom(event.shiftKey ? 1 : factor, event.ctrlKey ? 1 : factor, task, byte);
  }, {passive: false});
  canvas.addEventListener('dblclick', (event) => {
    const {task, byte} = pointAt(event);
    view.zoom(0.5, 0.5, task, byte);
  });
  canvas.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const {x0, x1, y0, y1} = panel.window();
    const found = panel.plan.recordsAt((x0 + x1) / 2, (y0 + y1) / 2);
    if (found.length > 0) view.pin({trace: panel.plan.trace, record: found[0]}, false);
    else view.say('No tensor is in the middle.');
  });
}

// Returns the function to call for a key, or undefined if there is none.
function keyAction(view, key) {
  const {x0, x1, y0, y1} = view.window;
  const [dx, dy] = [(x1 - x0) / 8, (y1 - y0) / 8];
  const moves = {
    ArrowLeft: () => view.pan(-dx, 0),
    ArrowRight: () => view.pan(dx, 0),
    ArrowUp: () => view.pan(0, dy),
    ArrowDown: () => view.pan(0, -dy),
    '+': () => view.zoom(0.5, 0.5),
    '=': () => view.zoom(0.5, 0.5),
    '-': () => view.zoom(2, 2),
    0: () => view.setWindow(view.full),
  };
  if (moves[key]) {
    return () => {
      moves[key]();
      view.sayWindow();
    };
  }
  return {
    p: () => view.showPeak(),
    n: () => view.search.step(1),
    N: () => view.search.step(-1),
    '/': () => byId('search').focus(),
    Escape: () => view.pin(null, false),
  }[key];
}

// Returns whether the page must leave a key to its target or to the browser.
// Keys with a modifier belong to the browser. Input fields use all other keys
// except Escape. The slider and scrolling lists use the arrow keys.
function isTaken(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const {target} = event;
  if (!target.closest) return false;
  if (event.key === 'Escape') return false;
  if (target.closest('input[type=search], textarea, select')) return true;
  return event.key.startsWith('Arrow') &&
    target.closest('#table-scroll, #result-list, #slider') !== null;
}

function connectKeys(view) {
  document.addEventListener('keydown', (event) => {
    if (isTaken(event)) return;
    const action = keyAction(view, event.key);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function connectControls(view) {
  const select = byId('colour');
  for (const [mode, name] of colourModes(view.plans[0].trace)) {
    select.append(element('option', {value: mode}, name));
  }
  select.addEventListener('change', () => view.setColour(select.value));
  byId('waste').addEventListener('change', (event) => {
    view.showGaps = event.target.checked;
    view.requestDraw();
  });
  byId('moved-label').hidden = view.plans.length < 2;
  byId('moved').addEventListener('change', (event) => {
    view.showMoved = event.target.checked;
    view.requestDraw();
  });
  const press = (id, key) => byId(id).addEventListener('click', () => keyAction(view, key)());
  press('zoom-in', '+');
  press('zoom-out', '-');
  press('reset', '0');
  press('peak', 'p');
  press('next', 'n');
  press('previous', 'N');
  press('unpin', 'Escape');
  byId('search-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = byId('search').value;
    if (query !== view.search.query) await view.search.find(query);
    view.search.step(1);
  });
}

function connectPrint(view) {
  window.addEventListener('beforeprint', () => {
    document.documentElement.classList.add('print');
    view.changeTheme();
    view.draw();
    view.table.showPrinted();
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.classList.remove('print');
    view.changeTheme();
    view.table.start = -1;
    view.table.show();
  });
}

function connectBrowser(view) {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    window.matchMedia(query).addEventListener('change', () => view.changeTheme());
  }
  window.addEventListener('hashchange', () => view.readHash());
  new ResizeObserver(() => {
    view.layout();
    view.draw();
    view.table.start = -1;
    view.table.show();
  }).observe(byId('plans'));
}

function connect(view) {
  view.panels.forEach((panel) => connectPointer(view, panel));
  connectKeys(view);
  connectControls(view);
  connectPrint(view);
}
