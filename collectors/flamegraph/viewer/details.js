// One frame in words and numbers: what is hovered, or else what is selected.

import { element, byId } from './dom.js';
import { countText, percentText, changeText, plural, timeText } from './numbers.js';
import { NONE } from './tree.js';
import { pathOf } from './views.js';

function samplesText(samples, interval) {
  const time = interval === null ? 'no one time, as intervals differ' : timeText(samples * interval);
  return `${plural(samples, 'sample', 'samples')}, ${time}`;
}

// The interval that all captures of a side have in common, or null: then samples don't add up to a time.
export function commonInterval(facts, base) {
  const intervals = new Set(facts.captures.filter((c) => Boolean(c.base) === base).map((c) => c.interval_us));
  return intervals.size === 1 && !intervals.has(0) ? [...intervals][0] : null;
}

export class Details {
  // `graph` is what main.js shows: data, names, tree, view, weights, top, state.
  constructor(graph) {
    this.graph = graph;
    const { facts } = graph.data;
    this.intervals = [commonInterval(facts, false), commonInterval(facts, true)];
  }

  nameOf(node) {
    const { names, tree, view } = this.graph;
    if (view.entry[node] !== NONE) {
      return names.label(tree.entries, view.entry[node]);
    }
    return 'All samples';
  }

  selfOf(node, side) {
    const { view } = this.graph;
    const self = side === 0 ? view.selfNow : view.selfBase;
    if (self) {
      return self[node];
    }
    if (view.up) {
      return null;
    }
    // A group of callees: what its children leave.
    const total = side === 0 ? view.now : view.base;
    view.open(node);
    let rest = total[node];
    for (let i = view.childStart[node]; i < view.childEnd[node]; i++) {
      rest -= total[view.list[i]];
    }
    return rest;
  }

  // [what, how much] for one side: its samples, and of what they are so many percent.
  sideNumbers(node, side) {
    const { data, view, weights, top } = this.graph;
    const total = side === 0 ? view.now : view.base;
    const sum = side === 0 ? weights.sumNow : weights.sumBase;
    const self = this.selfOf(node, side);
    const interval = this.intervals[side];
    const of = (samples) =>
      `${percentText(samples, total[top])} of the view, ${percentText(samples, sum)} of the filtered, ` +
      `${percentText(samples, data.all[side])} of all`;
    const numbers = [[view.up ? 'Samples' : 'Total', `${samplesText(total[node], interval)} (${of(total[node])})`]];
    if (self !== null) {
      numbers.unshift(['Self', `${samplesText(self, interval)} (${of(self)})`]);
    }
    return numbers;
  }

  numbers(node) {
    const { data, view, weights } = this.graph;
    if (!data.diff) {
      return this.sideNumbers(node, 0);
    }
    const label =
      (prefix) =>
      ([what, text]) => [`${prefix} ${what.toLowerCase()}`, text];
    const share = (part, whole) => (whole === 0 ? 0 : part / whole);
    const before = share(view.base[node], weights.sumBase);
    const now = share(view.now[node], weights.sumNow);
    return [
      ...this.sideNumbers(node, 1).map(label('Before:')),
      ...this.sideNumbers(node, 0).map(label('Now:')),
      ['Change', `${changeText(before, now)} of the filtered samples`],
    ];
  }

  show(node) {
    const { names, tree, view } = this.graph;
    const entry = view.entry[node];
    byId('details-name').textContent = this.nameOf(node);
    byId('details-place').textContent = entry === NONE ? '' : names.place(tree.entries, entry);
    byId('details-numbers').replaceChildren(
      ...this.numbers(node).map(([what, text]) =>
        element('div', {}, element('dt', { textContent: what }), element('dd', { textContent: text }))
      )
    );
  }

  // A run of tiny frames that are drawn as one.
  showHint() {
    byId('details-name').textContent = 'Frames too narrow to draw';
    byId('details-place').textContent = 'Zoom in to the frame they are of to see them.';
    byId('details-numbers').replaceChildren();
  }

  // One line for tips and for screen readers.
  sentence(node) {
    const { view, weights } = this.graph;
    const now = `${countText(view.now[node])} samples, ${percentText(view.now[node], weights.sumNow)}`;
    const before = view.base === null ? '' : `; before ${percentText(view.base[node], weights.sumBase)}`;
    return `${this.nameOf(node)}: ${now}${before}`;
  }

  stackText(node) {
    const { names, tree, view } = this.graph;
    const lines = pathOf(view, node).map((entry) => names.stackLine(tree.entries, entry));
    return lines.join('\n');
  }
}

// Copies a text: where a page from a file may not use the clipboard, through a field.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element('textarea', { className: 'unseen' });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
