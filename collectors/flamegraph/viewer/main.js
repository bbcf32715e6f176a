// Brings the parts together. What is shown follows from the data and the state, in stages, each of what is before it:
//
//     tree (by)  ->  weights (filters)  ->  view (inverted, focus, order)  ->  layout (zoom, width)  ->  picture
//
// `change` makes anew what comes after what changed, and no more.

import { decodePage, PageError } from './data.js';
import { Names, cutText } from './names.js';
import { makeTree, weighTree, sumFunctions, sumMatched, dominantThreads, NONE } from './tree.js';
import { makeAccept, sumBuckets } from './filters.js';
import { findFunctions } from './search.js';
import { CallTree, GroupTree, makeScale, pathOf, nodeAt } from './views.js';
import { Layout } from './layout.js';
import { makePainter } from './colours.js';
import { defaultState, parseFragment, writeFragment } from './state.js';
import { element, byId, button, debounced } from './dom.js';
import { countText, percentText, plural } from './numbers.js';
import { showFacts, nameThreads, pageTitle } from './facts.js';
import { applyTheme, onSystemTheme } from './theme.js';
import { Controls } from './controls.js';
import { Timeline } from './timeline.js';
import { FlameCanvas, ROW_HEIGHT } from './canvas.js';
import { FunctionTable } from './table.js';
import { sampleColumns, changeColumns } from './columns.js';
import { Details, copyText } from './details.js';
import { step, addGraphKeys, addPageKeys } from './keyboard.js';
import { makeSvg } from './svg.js';

const STAGE = { weights: 0, view: 1, layout: 2, picture: 3, nothing: 4 };

// The first stage that depends on a field of the state.
const STAGE_OF = {
  by: STAGE.weights,
  threads: STAGE.weights,
  time: STAGE.weights,
  gil: STAGE.weights,
  cpu: STAGE.weights,
  waiting: STAGE.weights,
  exception: STAGE.weights,
  gc: STAGE.weights,
  view: STAGE.view,
  focus: STAGE.view,
  order: STAGE.view,
  widths: STAGE.view,
  zoom: STAGE.layout,
  root: STAGE.layout,
  colours: STAGE.picture,
  theme: STAGE.picture,
  search: STAGE.picture,
  regex: STAGE.picture,
  mark: STAGE.picture,
  sort: STAGE.nothing,
};

const GRAPH_HEIGHT_MIN = 160;
const GRAPH_SHARE_MAX = 0.6;
const ROWS_FIRST = 100;
const ADDRESS_DELAY_MS = 150;

class Viewer {
  constructor(data) {
    this.data = data;
    this.names = new Names(data);
    this.threadNames = nameThreads(data);
    this.trees = new Map();
    this.state = defaultState(data);
    this.selected = 0;
    // Browsers don't like addresses that change many times a second, as they would with a slider.
    this.writeAddressSoon = debounced(() => this.writeAddress(), ADDRESS_DELAY_MS);
    showFacts(data);
    this.makeParts();
    this.addActions();
    byId('page').hidden = false;
    this.restore();
    window.addEventListener('hashchange', () => this.restore());
    new ResizeObserver(() => this.resize()).observe(byId('graph'));
    onSystemTheme(() => this.refresh(STAGE.picture));
  }

  makeParts() {
    const { data, names } = this;
    this.controls = new Controls(data, this.threadNames, (fields) => this.change(fields));
    this.timeline = new Timeline(
      {
        canvas: byId('timeline'),
        from: byId('time-from'),
        to: byId('time-to'),
        readout: byId('time-readout'),
        clear: byId('time-clear'),
      },
      data,
      (time) => this.change({ time })
    );
    this.canvas = new FlameCanvas(
      {
        box: byId('graph'),
        inner: byId('graph-inner'),
        canvas: byId('graph-canvas'),
        hoverFrame: byId('hover-frame'),
        selectedFrame: byId('selected-frame'),
      },
      {
        hover: (index) => this.showDetails(index),
        select: (index) => this.zoomTo(this.layout.node[index]),
        scrolled: () => this.placeSelected(),
      }
    );
    this.details = new Details(this);
    const sums = () => this.functionSums;
    const whole = (side) => (side === 'now' ? this.weights.sumNow : this.weights.sumBase);
    this.table = this.makeTable('table', sampleColumns(names, sums, whole), 'self');
    if (data.diff) {
      this.changes = this.makeTable('changes', changeColumns(names, sums, whole), 'self-change');
      byId('changes').hidden = false;
    }
  }

  makeTable(id, columns, sort) {
    const isMain = id === 'table';
    const focus = (func, view) => this.change({ focus: func, view });
    return new FunctionTable(
      {
        table: byId(isMain ? 'table' : 'changes-table'),
        more: byId(`${id}-more`),
        note: (shown, all) => {
          const scope = this.found.matched === null ? '' : ' that the search finds';
          byId(`${id}-note`).textContent =
            `${countText(shown)} of ${plural(all, 'function', 'functions')}${scope}. ${byId(`${id}-caption`).textContent}`;
        },
      },
      columns,
      {
        sort,
        sorted: (key) => isMain && this.change({ sort: key.replace('%', '') }),
        pick: (func) => this.pick(func),
        actions: (func) => [
          button('Callers', () => focus(func, 'callers'), `Callers of ${cutText(this.names.name(func), 100)}`),
          button('Callees', () => focus(func, 'tree'), `Callees of ${cutText(this.names.name(func), 100)}`),
        ],
      }
    );
  }

  addActions() {
    byId('reset').addEventListener('click', () => this.change({ zoom: [] }));
    byId('unfocus').addEventListener('click', () => this.change({ focus: null, view: 'tree' }));
    byId('unmark').addEventListener('click', () => this.change({ mark: null }));
    byId('export').addEventListener('click', () => this.exportSvg());
    byId('show-keys').addEventListener('click', () => byId('keys').showModal());
    byId('copy-name').addEventListener('click', () => this.copy(this.details.nameOf(this.selected)));
    byId('copy-stack').addEventListener('click', () => this.copy(this.details.stackText(this.selected)));
    byId('details-callers').addEventListener('click', () => this.focusSelected('callers'));
    byId('details-callees').addEventListener('click', () => this.focusSelected('tree'));
    byId('details-row').addEventListener('click', () => this.selectedToTable());
    addGraphKeys(byId('graph'), {
      move: (key) => this.move(key),
      zoomIn: () => this.zoomTo(this.selected),
      zoomOut: () => this.zoomOut(),
      reset: () => this.change({ zoom: [] }),
      toTable: () => this.selectedToTable(),
    });
    addPageKeys({
      search: () => byId('search').select(),
      help: () => byId('keys').showModal(),
    });
  }

  // --- State ---------------------------------------------------------------------------------------------------------

  restore() {
    this.state = parseFragment(this.data, window.location.hash.slice(1), (by) => this.treeBy(by).entries.count);
    this.table.setSort(this.state.sort);
    this.refresh(STAGE.weights);
  }

  change(fields) {
    const changed = Object.keys(fields).filter((key) => this.state[key] !== fields[key]);
    if (changed.length === 0) {
      return;
    }
    Object.assign(this.state, fields);
    // Another tree has other paths.
    if (changed.some((key) => ['by', 'view', 'focus'].includes(key))) {
      this.state.zoom = [];
      this.selected = 0;
    }
    this.refresh(Math.min(...changed.map((key) => STAGE_OF[key])));
  }

  writeAddress() {
    const fragment = `#${writeFragment(this.data, this.state)}`;
    if (fragment !== (window.location.hash || '#')) {
      window.history.replaceState(null, '', fragment);
    }
  }

  // --- Stages --------------------------------------------------------------------------------------------------------

  refresh(stage) {
    const path = this.view ? pathOf(this.view, this.selected) : [];
    if (stage <= STAGE.weights) {
      this.makeWeights();
    }
    if (stage <= STAGE.view) {
      this.makeView();
      this.selected = nodeAt(this.view, path);
    }
    if (stage <= STAGE.layout) {
      this.makeLayout();
    }
    if (stage <= STAGE.picture) {
      this.makePicture(stage);
    }
    this.controls.update(this.state);
    this.writeAddressSoon();
  }

  treeBy(by) {
    if (!this.trees.has(by)) {
      this.trees.set(by, makeTree(this.data, by));
    }
    return this.trees.get(by);
  }

  makeWeights() {
    const { data } = this;
    this.tree = this.treeBy(this.state.by);
    this.accept = makeAccept(data, this.state);
    this.weights = weighTree(data, this.tree, this.accept);
    const { selfNow, totalNow, selfBase, totalBase } = this.weights;
    this.functionSums = {
      now: sumFunctions(data, this.tree, selfNow, totalNow),
      base: selfBase && sumFunctions(data, this.tree, selfBase, totalBase),
    };
    this.dominant = null;
    this.buckets = sumBuckets(data, this.accept);
  }

  makeView() {
    const { tree, weights, state } = this;
    const scale = makeScale(weights, state.widths);
    const whole = state.view === 'tree' && state.focus === null;
    this.view = whole
      ? new CallTree(tree, weights, scale, state.order)
      : new GroupTree(tree, weights, scale, state.order, { up: state.view === 'callers', focus: state.focus });
  }

  makeLayout() {
    this.top = nodeAt(this.view, this.state.zoom);
    this.state.zoom = pathOf(this.view, this.top);
    this.width = byId('graph').clientWidth;
    this.layout = new Layout(this.view, this.top, this.width);
    // Groups cost something to open, so only the first rows; more when they are scrolled to.
    this.layout.grow(this.view instanceof CallTree ? Infinity : ROWS_FIRST);
    this.fitGraph();
    if (this.layout.indexOf(this.selected) < 0) {
      this.selected = this.top;
    }
    this.showPath();
    byId('graph-empty').hidden = this.layout.rows > 0;
  }

  // As high as the deepest stack needs, within limits: so zooming changes nothing, and what is below doesn't jump.
  fitGraph() {
    const most = Math.max(GRAPH_HEIGHT_MIN, Math.round(window.innerHeight * GRAPH_SHARE_MAX));
    const needed = this.tree.rows * ROW_HEIGHT + 2;
    byId('graph').style.height = `${Math.min(Math.max(needed, GRAPH_HEIGHT_MIN), most)}px`;
  }

  makePicture(stage) {
    const { data, state, tree, weights } = this;
    this.theme = applyTheme(state.theme);
    this.found = findFunctions(data, state.search, state.regex);
    this.showSearchShare();
    this.makePainter();
    this.showLegend();
    this.canvas.show(this.layout, this.look());
    this.placeSelected();
    this.showDetails(-1);
    this.timeline.update(this.buckets, state.time, this.theme);
    byId('unmark').hidden = state.mark === null;
    byId('unmark').textContent = state.mark === null ? '' : `Marked: ${cutText(this.names.name(state.mark), 80)} ✕`;
    if (stage !== STAGE.layout) {
      this.updateTables();
    }
    byId('graph-canvas').setAttribute(
      'aria-label',
      `Flame graph of ${plural(weights.sumNow, 'sample', 'samples')}, frames by ${tree.by}`
    );
  }

  showSearchShare() {
    const { found, tree, weights } = this;
    const sum = (self) => (self === null || found.matched === null ? 0 : sumMatched(tree, self, found.matched));
    const now = sum(weights.selfNow);
    this.controls.showSearch(found, now, weights.sumNow);
    if (found.matched !== null && found.error === null && weights.selfBase !== null) {
      const before = sum(weights.selfBase);
      byId('search-result').textContent += `; before: ${percentText(before, weights.sumBase)} (${countText(before)})`;
    }
  }

  makePainter() {
    const { data, state, tree, accept } = this;
    if (state.colours === 'thread') {
      this.dominant ??= dominantThreads(data, tree, accept);
    }
    this.painter = makePainter(state.colours, this);
  }

  // How the canvas and the SVG draw.
  look() {
    const { painter, theme, found, view, tree, names, state } = this;
    const { func } = tree.entries;
    const highlights = this.highlight() !== 'none';
    const stands = (own) => own === state.mark || (found.matched !== null && found.matched[own] === 1);
    const paintOf = (node) => {
      const entry = view.entry[node];
      if (entry === NONE) {
        return theme.root;
      }
      if (!highlights) {
        return painter.palette[painter.colour(node)];
      }
      return stands(func[entry]) ? theme.match : theme.faded;
    };
    return {
      theme,
      paintOf,
      fromBottom: state.root === 'bottom',
      label: (node) => (view.entry[node] === NONE ? 'all' : names.label(tree.entries, view.entry[node])),
      tip: (node) => this.details.sentence(node),
    };
  }

  resize() {
    if (this.layout && byId('graph').clientWidth !== this.width) {
      this.makeLayout();
      this.makePicture(STAGE.layout);
    } else {
      this.canvas.drawSoon();
    }
  }

  // --- Graph ---------------------------------------------------------------------------------------------------------

  zoomTo(node) {
    this.selected = node;
    this.change({ zoom: pathOf(this.view, node) });
    this.select(node, true);
  }

  zoomOut() {
    const { view, top } = this;
    this.selected = top;
    this.change({ zoom: pathOf(view, top).slice(0, -1) });
    this.select(top, true);
  }

  move(key) {
    const index = this.layout.indexOf(this.selected);
    if (index >= 0) {
      const next = step(this.layout, index, key, this.state.root === 'bottom');
      this.canvas.fit();
      this.canvas.scrollTo(next);
      this.select(this.layout.node[next], true);
    }
  }

  // Selected by hand, a frame is also read out.
  select(node, spoken) {
    this.selected = node;
    this.placeSelected();
    this.showDetails(-1);
    if (spoken) {
      byId('spoken').textContent = this.details.sentence(node);
    }
  }

  placeSelected() {
    this.canvas.select(this.layout.indexOf(this.selected));
  }

  showDetails(hovered) {
    const node = hovered < 0 ? this.selected : this.layout.node[hovered];
    if (node === NONE) {
      this.details.showHint();
    } else {
      this.details.show(node);
    }
    const func = this.functionOf(this.selected);
    for (const id of ['details-callers', 'details-callees', 'details-row']) {
      byId(id).disabled = func === null;
    }
    byId('copied').textContent = '';
  }

  functionOf(node) {
    const entry = this.view.entry[node];
    return entry === NONE ? null : this.tree.entries.func[entry];
  }

  focusSelected(view) {
    this.change({ focus: this.functionOf(this.selected), view });
  }

  showPath() {
    const { view, state } = this;
    const nodes = [];
    for (let i = this.top; i !== 0; i = view.parent[i]) {
      nodes.push(i);
    }
    nodes.push(0);
    byId('path').replaceChildren(
      ...nodes.reverse().map((node) => {
        const step = button(this.details.nameOf(node), () => this.zoomTo(node));
        if (node === this.top) {
          step.setAttribute('aria-current', 'true');
        }
        return element('li', {}, step);
      })
    );
    byId('path').scrollTop = byId('path').scrollHeight;
    byId('reset').disabled = this.top === 0;
    byId('unfocus').hidden = state.focus === null;
    if (state.focus !== null) {
      const what = state.view === 'callers' ? 'Callers of' : 'Callees of';
      byId('unfocus').textContent = `${what} ${cutText(this.names.name(state.focus), 80)} ✕`;
    }
  }

  // Under a search or a mark, frames have the two colours of that.
  showLegend() {
    const { found, state, theme } = this;
    const legend = { search: 'found', mark: 'marked' }[this.highlight()];
    if (legend !== undefined) {
      this.fillLegend([
        { text: legend, fill: theme.match.fill },
        {
          text: found.matched !== null && state.mark !== null ? 'neither found nor marked' : `not ${legend}`,
          fill: theme.faded.fill,
        },
      ]);
    } else {
      this.fillLegend(this.painter.legend);
    }
  }

  highlight() {
    if (this.found.matched !== null) {
      return 'search';
    }
    return this.state.mark === null ? 'none' : 'mark';
  }

  fillLegend(legend) {
    const swatch = (fill, className) => {
      const made = element('i', { className });
      made.style.background = fill;
      return made;
    };
    byId('legend').replaceChildren(
      ...(legend.ramp
        ? [element('span', {}, legend.from, ...legend.ramp.map((fill) => swatch(fill, 'ramp')), legend.to)]
        : legend.map(({ text, fill }) => element('span', {}, swatch(fill, ''), cutText(text, 120))))
    );
  }

  // --- Table ---------------------------------------------------------------------------------------------------------

  updateTables() {
    const { functionSums, found, weights } = this;
    const { now, base } = functionSums;
    const shown = [];
    for (let i = 0; i < this.data.functions.count; i++) {
      const counts = now.total[i] > 0 || (base !== null && base.total[i] > 0);
      if (counts && (found.matched === null || found.matched[i] === 1)) {
        shown.push(i);
      }
    }
    const which = this.data.diff ? ' now' : '';
    byId('table-caption').textContent =
      `Self and total of each function, in samples${which}. Percentages are of the ` +
      `${plural(weights.sumNow, 'sample', 'samples')}${which} that the filters leave, whatever is zoomed to.`;
    this.table.update(shown, this.state.mark);
    this.changes?.update(shown.slice(), this.state.mark);
  }

  // From a row to the graph: all frames of the function stand out, and the widest is selected.
  pick(func) {
    this.change({ mark: func, search: '' });
    byId('search').value = '';
    const { layout, view, tree } = this;
    let best = -1;
    for (let i = 0; i < layout.count; i++) {
      const own = layout.node[i] !== NONE && view.entry[layout.node[i]] !== NONE;
      if (own && tree.entries.func[view.entry[layout.node[i]]] === func) {
        const wider = best < 0 || layout.right[i] - layout.left[i] > layout.right[best] - layout.left[best];
        best = wider ? i : best;
      }
    }
    if (best >= 0) {
      this.canvas.scrollTo(best);
      this.select(layout.node[best], true);
    }
    byId('graph').scrollIntoView({ block: 'nearest' });
  }

  selectedToTable() {
    const func = this.functionOf(this.selected);
    if (func !== null && !this.table.reveal(func)) {
      this.change({ search: '' });
      this.table.reveal(func);
    }
  }

  // --- Out -----------------------------------------------------------------------------------------------------------

  async copy(text) {
    await copyText(text);
    byId('copied').textContent = 'Copied';
  }

  exportSvg() {
    const { layout, data, weights, view, top } = this;
    layout.grow(Infinity);
    const lines = [
      byId('numbers').textContent,
      `shown: ${countText(view.now[top])} of ${plural(weights.sumNow, 'filtered sample', 'filtered samples')}`,
    ];
    const title = pageTitle(data.facts);
    const image = new Blob([makeSvg(layout, title, lines, this.look())], { type: 'image/svg+xml' });
    const link = element('a', { href: URL.createObjectURL(image) });
    link.download = `${title.replace(/[^\w.-]+/g, '_').slice(0, 80)}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.canvas.fit();
    this.canvas.drawSoon();
  }
}

function fail(error) {
  byId('page').hidden = true;
  byId('failure').hidden = false;
  byId('failure').textContent =
    error instanceof PageError
      ? `This page is damaged: ${error.message}.`
      : `This page can't be shown: ${error.message}`;
}

try {
  new Viewer(decodePage(byId('data').textContent));
} catch (error) {
  fail(error);
}
