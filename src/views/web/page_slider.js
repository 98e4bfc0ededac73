// SPDX-License-Identifier: Apache-2.0
// The slider of a page that shows one plan at a time. All plans are from one
// order, for different values of parameters. The titles give these values.

// Shows the plan with this number, or the first plan if there is no plan with
// this number.
function showPlanAt(view, wanted) {
  const number = Number.isInteger(wanted) && view.plans[wanted] ? wanted : 0;
  view.shown = number;
  view.panels.forEach((panel, i) => { panel.node.hidden = i !== number; });
  for (const list of ['summary', 'why-body']) {
    [...byId(list).children].forEach((node) => {
      node.hidden = node.dataset.plan !== String(number);
    });
  }
  const {title} = view.plans[number].header;
  byId('slider').value = String(number);
  byId('slider').setAttribute('aria-valuetext', title);
  byId('slider-value').textContent = title;
  if (view.table) view.table.choosePlan(number);
  view.layout();
  view.requestDraw();
}

function connectSlider(view) {
  const {slider} = view.header;
  if (!slider) return;
  byId('slider-controls').hidden = false;
  byId('moved-label').hidden = true;
  byId('table-plan-label').hidden = true;
  byId('slider-name').textContent = slider;
  byId('slider').max = String(view.plans.length - 1);
  view.plans.forEach((plan, i) => byId('slider-marks').append(
    element('option', {value: String(i), label: cut(plan.header.title, 60)})));
  byId('slider').addEventListener('input', () => showPlanAt(view, Number(byId('slider').value)));
  showPlanAt(view, view.shown);
}
