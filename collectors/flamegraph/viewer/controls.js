// The bars of controls: view, search, filters. They show the state and change it; they know nothing of the graph.

import { element, byId, option, debounced } from './dom.js';
import { countText, percentText, plural } from './numbers.js';
import { STATUS_FILTERS, WANTS, filterOccurs, isFiltered } from './filters.js';
import { granularities } from './data.js';
import { colourChoices } from './state.js';
import { nextTheme } from './theme.js';

const SEARCH_DELAY_MS = 150;
const SELECTS = ['view', 'by', 'root', 'order', 'colours', 'widths'];
const COLOUR_NAMES = { module: 'by module', thread: 'by thread', self: 'by self time', change: 'by change' };
const WANT_NAMES = { any: 'any', only: 'only', not: 'not' };

export class Controls {
  // `change(fields)` changes the state.
  constructor(data, threadNames, change) {
    Object.assign(this, { data, threadNames, change });
    this.fillSelects();
    this.addSearch();
    this.addThreads();
    this.addStatuses();
    byId('clear-filters').addEventListener('click', () => change({ threads: null, time: null, ...this.anyStatus() }));
    byId('theme').addEventListener('click', () => change({ theme: nextTheme(this.state.theme) }));
  }

  fillSelects() {
    byId('by').append(...granularities(this.data).map((by) => option(by, by)));
    byId('colours').append(...colourChoices(this.data).map((colours) => option(colours, COLOUR_NAMES[colours])));
    byId('widths-label').hidden = !this.data.diff;
    for (const id of SELECTS) {
      byId(id).addEventListener('change', () => this.change({ [id]: byId(id).value }));
    }
  }

  addSearch() {
    const search = byId('search');
    const regex = byId('regex');
    const look = () => this.change({ search: search.value, regex: regex.checked });
    search.addEventListener('input', debounced(look, SEARCH_DELAY_MS));
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        look();
      } else if (event.key === 'Escape') {
        search.value = '';
        look();
      }
    });
    regex.addEventListener('change', look);
  }

  addThreads() {
    const { threads, all, facts, diff } = this.data;
    const order = threads.map((_, i) => i).sort((a, b) => threads[b].samples - threads[a].samples || a - b);
    this.threadBoxes = new Map();
    for (const thread of order) {
      const box = element('input', { type: 'checkbox' });
      box.addEventListener('change', () => this.chooseThreads());
      this.threadBoxes.set(thread, box);
      const { samples, capture } = threads[thread];
      const side = facts.captures[capture].base ? 1 : 0;
      const whole = diff ? ['all now', 'all before'][side] : 'all';
      const text = `${this.threadNames[thread]}: ${countText(samples)} (${percentText(samples, all[side])} of ${whole})`;
      byId('threads-list').append(element('li', {}, element('label', {}, box, element('span', { textContent: text }))));
    }
    byId('threads-all').addEventListener('click', () => this.change({ threads: null }));
    byId('threads-none').addEventListener('click', () => this.change({ threads: [] }));
    // A click or Escape elsewhere closes the list, as with any menu.
    const list = byId('threads');
    document.addEventListener('click', (event) => {
      if (!list.contains(event.target)) {
        list.open = false;
      }
    });
    list.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && list.open) {
        list.open = false;
        byId('threads-summary').focus();
      }
    });
  }

  chooseThreads() {
    const chosen = [...this.threadBoxes].filter(([, box]) => box.checked).map(([thread]) => thread);
    const all = chosen.length === this.data.threads.length;
    this.change({ threads: all ? null : chosen.sort((a, b) => a - b) });
  }

  addStatuses() {
    for (const filter of STATUS_FILTERS) {
      const select = element(
        'select',
        { id: `status-${filter.key}` },
        ...WANTS.map((want) => option(want, WANT_NAMES[want]))
      );
      select.disabled = !filterOccurs(this.data, filter);
      select.addEventListener('change', () => this.change({ [filter.key]: select.value }));
      const label = element('label', {}, filter.label, select);
      label.title = select.disabled ? 'No sample has this status' : filter.note;
      byId('statuses').append(label);
    }
  }

  anyStatus() {
    return Object.fromEntries(STATUS_FILTERS.map(({ key }) => [key, 'any']));
  }

  update(state) {
    this.state = state;
    for (const id of SELECTS) {
      byId(id).value = state[id];
    }
    // Not while somebody types: what is typed is ahead of the state.
    if (document.activeElement !== byId('search')) {
      byId('search').value = state.search;
    }
    byId('regex').checked = state.regex;
    for (const [thread, box] of this.threadBoxes) {
      box.checked = state.threads === null || state.threads.includes(thread);
    }
    const { length } = this.data.threads;
    const chosen = state.threads === null ? 'all' : `${state.threads.length} of`;
    byId('threads-summary').textContent = `Threads: ${chosen} ${length}`;
    for (const { key } of STATUS_FILTERS) {
      byId(`status-${key}`).value = state[key];
    }
    byId('clear-filters').disabled = !isFiltered(state);
  }

  // `found` is from search.js, `samples` how many samples have a match, `sum` of how many.
  showSearch(found, samples, sum) {
    const result = byId('search-result');
    result.classList.toggle('wrong', found.error !== null);
    byId('search').classList.toggle('wrong', found.error !== null);
    byId('search').setAttribute('aria-invalid', String(found.error !== null));
    if (found.error !== null) {
      result.textContent = `Not a regular expression: ${found.error}`;
    } else if (found.matched === null) {
      result.textContent = '';
    } else {
      const share = percentText(samples, sum);
      result.textContent =
        `${share} of the filtered samples: ${plural(samples, 'sample', 'samples')} ` +
        `with ${plural(found.count, 'function', 'functions')} that match`;
    }
  }
}
