// A table of functions: sorted by any of its columns, the first rows at once, more on demand.

import { element, button } from './dom.js';

const FIRST_ROWS = 50;
const MORE_ROWS = 200;

export class FunctionTable {
  // Columns: { key, title, hint, value(func) for the order, text(func), kind: 'number', 'name' or 'text' }.
  // actions(func) gives the cells' buttons; pick(func) is what the name's button does; sorted(key) hears of a new order.
  constructor({ table, more, note }, columns, { actions, pick, sorted, sort }) {
    Object.assign(this, { table, more, note, columns, actions, pick, sorted, sort });
    this.descending = this.column().kind === 'number';
    this.limit = FIRST_ROWS;
    this.functions = [];
    this.body = element('tbody');
    this.heads = columns.map((column) => this.makeHead(column));
    table.append(
      element('thead', {}, element('tr', {}, ...this.heads, element('th', { scope: 'col', textContent: 'Show' })))
    );
    table.append(this.body);
    more.addEventListener('click', () => {
      this.limit += MORE_ROWS;
      this.fill();
    });
  }

  column() {
    return this.columns.find(({ key }) => key === this.sort) ?? this.columns[0];
  }

  makeHead(column) {
    const head = button(column.title, () => this.sortBy(column));
    head.title = column.hint;
    return element('th', { scope: 'col', className: column.kind }, head);
  }

  sortBy(column) {
    this.descending = this.sort === column.key ? !this.descending : column.kind === 'number';
    this.sort = column.key;
    this.sorted(column.key);
    this.order();
  }

  setSort(key) {
    if (key !== this.sort) {
      this.sort = key;
      this.descending = this.column().kind === 'number';
    }
  }

  // The functions to show; `marked` is the one that stands out, or null.
  update(functions, marked) {
    this.functions = functions;
    this.marked = marked;
    this.limit = FIRST_ROWS;
    this.order();
  }

  order() {
    const { value } = this.column();
    const sign = this.descending ? -1 : 1;
    const values = new Map(this.functions.map((func) => [func, value(func)]));
    this.functions.sort((a, b) => {
      const left = values.get(a);
      const right = values.get(b);
      return left === right ? a - b : sign * (left < right ? -1 : 1);
    });
    this.heads.forEach((head, i) => {
      const direction = this.descending ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', this.columns[i].key === this.sort ? direction : 'none');
    });
    this.fill();
  }

  fill() {
    const shown = this.functions.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((func) => this.makeRow(func)));
    this.more.hidden = shown.length === this.functions.length;
    this.note(shown.length, this.functions.length);
  }

  makeRow(func) {
    const cells = this.columns.map((column) => {
      const text = column.text(func);
      if (column.kind !== 'name') {
        const className = column.tone ? `${column.kind} ${column.tone(func)}` : column.kind;
        return element('td', { className, textContent: text });
      }
      const name = button(text, () => this.pick(func));
      name.title = column.tip(func);
      return element('th', { scope: 'row', className: 'name' }, name);
    });
    const row = element('tr', {}, ...cells, element('td', { className: 'actions' }, ...this.actions(func)));
    row.dataset.func = func;
    row.classList.toggle('marked', func === this.marked);
    return row;
  }

  // Makes sure that the row is there and gives it the focus.
  reveal(func) {
    const place = this.functions.indexOf(func);
    if (place < 0) {
      return false;
    }
    if (place >= this.limit) {
      this.limit = place + 1;
    }
    this.marked = func;
    this.fill();
    const row = this.body.rows[place];
    row.querySelector('th button').focus({ preventScroll: true });
    row.scrollIntoView({ block: 'center' });
    return true;
  }
}
