// The columns of the two tables of functions.

import { countText, percentText, changeText } from './numbers.js';
import { cutText } from './names.js';

const NAME_MAX = 300;

function nameColumns(names) {
  return [
    {
      key: 'name',
      title: 'Function',
      hint: 'Order by name',
      kind: 'name',
      value: (func) => names.rawName(func),
      text: (func) => cutText(names.name(func), NAME_MAX),
      tip: (func) => `${cutText(names.name(func), NAME_MAX)} – show its frames in the graph`,
    },
    {
      key: 'file',
      title: 'File',
      hint: 'Order by file',
      kind: 'text',
      value: (func) => names.rawFile(func),
      text: (func) => cutText(names.file(func), NAME_MAX),
    },
  ];
}

// What changed too little to be told has no colour.
function toneOf(change) {
  if (changeText(0, change) === changeText(0, 0)) {
    return 'same';
  }
  return change > 0 ? 'grew' : 'shrank';
}

function number(key, title, hint, value, text) {
  return { key, title, hint, kind: 'number', value, text: (func) => text(value(func)) };
}

// `sums()` gives { now, base } of the functions, `whole(side)` of how many samples they are.
export function sampleColumns(names, sums, whole) {
  const self = (func) => sums().now.self[func];
  const total = (func) => sums().now.total[func];
  const share = (samples) => percentText(samples, whole('now'));
  return [
    number('self', 'Self', 'Samples in the function itself', self, countText),
    number('self%', 'Self %', 'Of the filtered samples', self, share),
    number('total', 'Total', 'Samples with the function on the stack, once each', total, countText),
    number('total%', 'Total %', 'Of the filtered samples', total, share),
    ...nameColumns(names),
  ];
}

export function changeColumns(names, sums, whole) {
  const share = (side, what) => (func) => (whole(side) === 0 ? 0 : sums()[side][what][func] / whole(side));
  const columns = ['self', 'total'].flatMap((what) => {
    const title = what === 'self' ? 'Self' : 'Total';
    const before = share('base', what);
    const now = share('now', what);
    const change = (func) => now(func) - before(func);
    return [
      number(`${what}-base`, `${title} before`, 'Of the samples before', before, (part) => percentText(part, 1)),
      number(`${what}-now`, `${title} now`, 'Of the samples now', now, (part) => percentText(part, 1)),
      {
        ...number(`${what}-change`, 'Change', 'Order by how much the share changed', change, (by) => changeText(0, by)),
        // What grew most and what shrank most stand together.
        value: (func) => Math.abs(change(func)),
        tone: (func) => toneOf(change(func)),
      },
    ];
  });
  return [...columns, ...nameColumns(names)];
}
