// What a view is made of, and how it is written in the page's address, so that it can be sent.
//
// Entries and functions are known by their numbers: the data of a page never changes. Only what differs from the default
// is written. An address can be anything, so what is not understood is left out.

import { STATUS_FILTERS, WANTS } from './filters.js';
import { granularities } from './data.js';

const CHOICES = {
  view: ['tree', 'callers'],
  root: ['top', 'bottom'],
  order: ['weight', 'name'],
  widths: ['both', 'before', 'after'],
  theme: ['auto', 'light', 'dark'],
  sort: ['self', 'total', 'name', 'file'],
  ...Object.fromEntries(STATUS_FILTERS.map(({ key }) => [key, WANTS])),
};

const SEARCH_MAX = 1000;
const PATH_MAX = 70000;

export function colourChoices(data) {
  return data.diff ? ['change', 'module', 'thread', 'self'] : ['module', 'thread', 'self'];
}

export function defaultState(data) {
  return {
    by: 'function',
    ...Object.fromEntries(Object.entries(CHOICES).map(([key, values]) => [key, values[0]])),
    colours: colourChoices(data)[0],
    search: '',
    regex: false,
    threads: null, // or the numbers of those chosen
    time: null, // or the first and the last bucket
    zoom: [], // entries from the root
    focus: null, // or the function that the view is about
    mark: null, // or the function whose frames stand out
  };
}

// At most `length` numbers below `limit`; null for anything else.
function parseList(text, limit, length) {
  if (!/^\d+(\.\d+)*$/.test(text)) {
    return null;
  }
  const numbers = text.split('.').map(Number);
  return numbers.length <= length && numbers.every((number) => number < limit) ? numbers : null;
}

export function writeFragment(data, state) {
  const defaults = defaultState(data);
  const fields = new URLSearchParams();
  for (const key of ['by', 'colours', ...Object.keys(CHOICES), 'search']) {
    if (state[key] !== defaults[key]) {
      fields.set(key, state[key]);
    }
  }
  if (state.regex) {
    fields.set('regex', '1');
  }
  if (state.threads !== null) {
    fields.set('threads', state.threads.length === 0 ? 'none' : state.threads.join('.'));
  }
  if (state.time !== null) {
    fields.set('time', state.time.join('.'));
  }
  if (state.zoom.length > 0) {
    fields.set('zoom', state.zoom.join('.'));
  }
  for (const key of ['focus', 'mark']) {
    if (state[key] !== null) {
      fields.set(key, String(state[key]));
    }
  }
  return fields.toString();
}

function parseThreads(data, text) {
  if (text === 'none') {
    return [];
  }
  const threads = parseList(text, data.threads.length, data.threads.length);
  return threads && [...new Set(threads)].sort((a, b) => a - b);
}

function parseTime(data, text) {
  const time = parseList(text, data.facts.bucket_count, 2);
  return time !== null && time.length === 2 && time[0] <= time[1] ? time : null;
}

function parseFunction(data, text) {
  return parseList(text, data.functions.count, 1)?.[0] ?? null;
}

// The state of a fragment, without its "#". `entryCount(by)` says how many entries there are.
export function parseFragment(data, text, entryCount) {
  const state = defaultState(data);
  const fields = new URLSearchParams(text);
  const choices = { ...CHOICES, by: granularities(data), colours: colourChoices(data) };
  for (const [key, values] of Object.entries(choices)) {
    if (values.includes(fields.get(key))) {
      state[key] = fields.get(key);
    }
  }
  state.search = (fields.get('search') ?? '').slice(0, SEARCH_MAX);
  state.regex = fields.get('regex') === '1';
  state.threads = parseThreads(data, fields.get('threads') ?? '');
  state.time = parseTime(data, fields.get('time') ?? '');
  state.focus = parseFunction(data, fields.get('focus') ?? '');
  state.mark = parseFunction(data, fields.get('mark') ?? '');
  state.zoom = parseList(fields.get('zoom') ?? '', entryCount(state.by), PATH_MAX) ?? [];
  return state;
}
