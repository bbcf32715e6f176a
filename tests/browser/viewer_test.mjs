// Unit tests of the viewer's modules: node --test viewer_test.mjs. Numbers are compared with naive.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodePage, PageError, granularities } from '../../collectors/flamegraph/viewer/data.js';
import {
  makeTree,
  weighTree,
  sumFunctions,
  sumMatched,
  dominantThreads,
  NONE,
} from '../../collectors/flamegraph/viewer/tree.js';
import { makeAccept, sumBuckets } from '../../collectors/flamegraph/viewer/filters.js';
import { findFunctions } from '../../collectors/flamegraph/viewer/search.js';
import { CallTree, GroupTree, makeScale, pathOf, nodeAt } from '../../collectors/flamegraph/viewer/views.js';
import { Layout } from '../../collectors/flamegraph/viewer/layout.js';
import { makePainter, themeColours } from '../../collectors/flamegraph/viewer/colours.js';
import { defaultState, parseFragment, writeFragment } from '../../collectors/flamegraph/viewer/state.js';
import { Names, visible, cutText } from '../../collectors/flamegraph/viewer/names.js';
import { makeSvg, escapeXml } from '../../collectors/flamegraph/viewer/svg.js';
import { percentText, changeText, timeText } from '../../collectors/flamegraph/viewer/numbers.js';

import { encodeProfile, makeProfile, makeHostileProfile, makeFacts, HOSTILE_NAMES } from './page_data.mjs';
import { chosen, entryKey, functionKey, functionSums, matching, pathTotals, sumSamples } from './naive.mjs';

const FILTERS = [
  {},
  { threads: [1] },
  { threads: [0, 2, 4] },
  { threads: [] },
  { gil: 'only' },
  { gil: 'not' },
  { cpu: 'only' },
  { cpu: 'not' },
  { waiting: 'only' },
  { exception: 'only' },
  { exception: 'not' },
  { gc: 'only' },
  { gc: 'not' },
  { time: [10, 19] },
  { time: [7, 7] },
  { gil: 'only', cpu: 'not', threads: [0, 1], time: [5, 40], gc: 'not' },
];

// A profile as the viewer has it: everything up to the weights.
function load(profile, filters = {}, by = 'function') {
  const data = decodePage(encodeProfile(profile));
  const state = { ...defaultState(data), ...filters };
  const accept = makeAccept(data, state);
  const tree = makeTree(data, by);
  return { data, accept, tree, weights: weighTree(data, tree, accept), scale: makeScale };
}

function keyOfFunction(data, func) {
  return functionKey({
    name: data.strings[data.functions.name[func]],
    file: data.strings[data.functions.file[func]],
  });
}

function keyOfEntry(data, tree, entry, by) {
  const { entries } = tree;
  const func = entries.func[entry];
  return entryKey(
    {
      name: data.strings[data.functions.name[func]],
      file: data.strings[data.functions.file[func]],
      line: entries.line[entry],
      detail: entries.detail[entry] === 0 ? null : data.strings[entries.detail[entry] - 1],
    },
    by
  );
}

// All paths of a view with their weight.
function totalsOfView(data, tree, view, by, side = 'now') {
  const totals = new Map();
  const walk = (node, path) => {
    view.open(node);
    for (let i = view.childStart[node]; i < view.childEnd[node]; i++) {
      const child = view.list[i];
      const own = `${path} > ${keyOfEntry(data, tree, view.entry[child], by)}`;
      assert.ok(!totals.has(own), 'children have different entries');
      if (view[side][child] > 0) {
        totals.set(own, view[side][child]);
      }
      if (view.weight[child] > 0) {
        walk(child, own);
      }
    }
  };
  walk(0, '');
  return totals;
}

function sameMap(actual, expected) {
  assert.deepEqual([...actual].sort(), [...expected].sort());
}

test('decoding gives back what was encoded', () => {
  const profile = makeHostileProfile();
  const data = decodePage(encodeProfile(profile));
  assert.equal(data.all[0], sumSamples(chosen(profile)));
  assert.ok(HOSTILE_NAMES.every((name) => data.strings.includes(name)));
  assert.equal(data.threads[0].id, HOSTILE_NAMES[1]);
  assert.deepEqual(data.facts, profile.facts);
  const { frames, functions, strings } = data;
  profile.frames.forEach(({ name, line }, i) => {
    assert.equal(strings[functions.name[frames.func[i]]], name);
    assert.equal(frames.line[i], line);
  });
});

test('numbers beyond 32 bits', () => {
  const profile = makeProfile(3, { samples: 5 });
  profile.samples[0].count = 2 ** 40 + 1;
  const data = decodePage(encodeProfile(profile));
  assert.equal(data.all[0], sumSamples(profile.samples));
});

test('a capture without samples', () => {
  const { data, tree, weights } = load({ facts: makeFacts(), frames: [], threads: [], samples: [] });
  assert.equal(weights.sumNow, 0);
  const view = new CallTree(tree, weights, makeScale(weights, 'both'), 'weight');
  const layout = new Layout(view, 0, 800);
  layout.grow(Infinity);
  assert.equal(layout.rows, 0);
  assert.equal(layout.find(0, 5), -1);
  assert.deepEqual(granularities(data), ['function', 'line']);
});

test('a damaged page is told, wherever it is cut', () => {
  const bytes = Buffer.from(encodeProfile(makeProfile(4, { samples: 6 })), 'base64');
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decodePage(bytes.subarray(0, length).toString('base64')), PageError);
  }
  assert.throws(() => decodePage(Buffer.concat([bytes, Buffer.from([0])]).toString('base64')), PageError);
  assert.throws(() => decodePage('@DATA@'), PageError);
  assert.throws(() => decodePage('****'), PageError);
});

test('facts that are not as they must be are told', () => {
  const wrong = [
    { by: 'file' },
    { captures: [] },
    { captures: [null] },
    { captures: [{ rate: '1' }] },
    { captures: [{ features: 'gc' }] },
    { captures: [{ interval_us: null, base: true }, { base: true }] },
    { bucket_count: 1e9 },
    { bucket_count: 3 },
    { bucket_us: 'x' },
  ];
  const profile = makeProfile(20, { samples: 20 });
  for (const changes of wrong) {
    const facts = {
      ...makeFacts(changes),
      ...(changes.captures?.length === 0 || changes.captures?.[0] === null ? changes : {}),
    };
    assert.throws(() => decodePage(encodeProfile({ ...profile, facts })), PageError, JSON.stringify(changes));
  }
});

test('a damaged byte is told or does no harm', () => {
  const bytes = Buffer.from(encodeProfile(makeProfile(5, { samples: 6 })), 'base64');
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 127, 128, 255]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = value;
      try {
        const data = decodePage(damaged.toString('base64'));
        makeTree(data, data.facts.by);
      } catch (error) {
        assert.ok(error instanceof PageError, `byte ${at} as ${value}: ${error.stack}`);
      }
    }
  }
});

for (const by of ['function', 'line', 'instruction']) {
  test(`the tree by ${by} has the samples of each path`, () => {
    const profile = makeProfile(6, { by: 'instruction' });
    for (const filters of FILTERS) {
      const { data, tree, weights } = load(profile, filters, by);
      const samples = chosen(profile, filters);
      assert.equal(weights.sumNow, sumSamples(samples));
      for (const order of ['weight', 'name']) {
        const view = new CallTree(tree, weights, makeScale(weights, 'both'), order);
        sameMap(totalsOfView(data, tree, view, by), pathTotals(samples, by));
      }
    }
  });

  test(`functions have the same self and total by ${by}, recursion counts once`, () => {
    const profile = makeProfile(7, { by: 'instruction' });
    for (const filters of FILTERS) {
      const { data, tree, weights } = load(profile, filters, by);
      const sums = sumFunctions(data, tree, weights.selfNow, weights.totalNow);
      const expected = functionSums(chosen(profile, filters));
      for (let func = 0; func < data.functions.count; func++) {
        assert.equal(sums.self[func], expected.self.get(keyOfFunction(data, func)) ?? 0);
        assert.equal(sums.total[func], expected.total.get(keyOfFunction(data, func)) ?? 0);
      }
    }
  });
}

test('children are in order', () => {
  const { data, tree, weights } = load(makeProfile(8));
  for (const order of ['weight', 'name']) {
    const view = new CallTree(tree, weights, makeScale(weights, 'both'), order);
    for (let node = 0; node < tree.count; node++) {
      view.open(node);
      for (let i = view.childStart[node] + 1; i < view.childEnd[node]; i++) {
        const [a, b] = [view.list[i - 1], view.list[i]];
        const inOrder =
          order === 'weight' ? view.now[a] >= view.now[b] : tree.rank[view.entry[a]] < tree.rank[view.entry[b]];
        assert.ok(inOrder);
      }
    }
  }
  assert.ok(data);
});

test('inverted: callers of what costs', () => {
  const profile = makeProfile(9);
  for (const by of ['function', 'line']) {
    for (const filters of FILTERS) {
      const { data, tree, weights } = load(profile, filters, by);
      const view = new GroupTree(tree, weights, makeScale(weights, 'both'), 'weight', { up: true, focus: null });
      assert.equal(view.now[0], weights.sumNow);
      const expected = pathTotals(chosen(profile, filters), by, (frames) => [frames.toReversed()]);
      sameMap(totalsOfView(data, tree, view, by), expected);
      // What a group is made of stays its own when its children take the members over.
      for (let node = 1; node < view.count; node++) {
        const members = view.origin.subarray(view.memberStart[node], view.memberEnd[node]);
        assert.equal(
          members.reduce((sum, origin) => sum + weights.selfNow[origin], 0),
          view.now[node]
        );
      }
    }
  }
});

test('callers and callees of a function, by its outermost frames', () => {
  const profile = makeProfile(10);
  const samples = chosen(profile);
  const { data, tree, weights } = load(profile);
  for (let focus = 0; focus < data.functions.count; focus += 5) {
    const key = keyOfFunction(data, focus);
    const outermost = (frames) => frames.findIndex((frame) => functionKey(frame) === key);
    for (const up of [true, false]) {
      const view = new GroupTree(tree, weights, makeScale(weights, 'both'), 'name', { up, focus });
      const expected = pathTotals(samples, 'function', (frames) => {
        const at = outermost(frames);
        if (at < 0) {
          return [];
        }
        return [up ? frames.slice(0, at + 1).toReversed() : frames.slice(at)];
      });
      sameMap(totalsOfView(data, tree, view, 'function'), expected);
    }
  }
});

test('comparing: each side has its own samples', () => {
  const profile = makeProfile(11, { diff: true });
  for (const filters of FILTERS) {
    const { data, tree, weights } = load(profile, filters);
    for (const [base, self, total] of [
      [false, weights.selfNow, weights.totalNow],
      [true, weights.selfBase, weights.totalBase],
    ]) {
      const expected = functionSums(chosen(profile, filters, base));
      const sums = sumFunctions(data, tree, self, total);
      for (let func = 0; func < data.functions.count; func++) {
        assert.equal(sums.total[func], expected.total.get(keyOfFunction(data, func)) ?? 0);
      }
    }
  }
  const { data, tree, weights } = load(profile);
  const inverted = new GroupTree(tree, weights, makeScale(weights, 'both'), 'weight', { up: true, focus: null });
  for (const [side, base] of [
    ['now', false],
    ['base', true],
  ]) {
    const expected = pathTotals(chosen(profile, {}, base), 'function', (frames) => [frames.toReversed()]);
    sameMap(totalsOfView(data, tree, inverted, 'function', side), expected);
  }
  for (const [widths, whole] of [
    ['both', 2],
    ['before', 1],
    ['after', 1],
  ]) {
    const view = new CallTree(tree, weights, makeScale(weights, widths), 'weight');
    assert.ok(Math.abs(view.weight[0] - whole) < 1e-9);
  }
});

test('search: functions found, samples with one of them', () => {
  const profile = makeProfile(12);
  const { data, tree, weights } = load(profile);
  const cases = [
    ['parse', false, (name) => name.toLowerCase().includes('parse')],
    ['PARSE', false, (name) => name.includes('PARSE')],
    ['load_All', false, (name) => name.includes('load_All')],
    ['json/encoder.py:', false, (name) => name.includes('json/encoder.py:')],
    ['^(walk|encode)_\\d$', true, (name) => /^(walk|encode)_\d$/i.test(name)],
    ['\\Soad_all', true, (name) => /\Soad_all/i.test(name)],
    ['\\S_1', true, (name) => /\S_1/i.test(name)],
    ['<GC>', false, (name) => name.includes('<GC>')],
    ['(', false, (name) => name.includes('(')],
  ];
  for (const [text, regex, matches] of cases) {
    const found = findFunctions(data, text, regex);
    assert.equal(found.error, null);
    assert.equal(sumMatched(tree, weights.selfNow, found.matched), matching(chosen(profile), matches), text);
  }
  assert.equal(findFunctions(data, '', false).matched, null);
  assert.match(findFunctions(data, '(', true).error, /regular expression/i);
});

test('the thread with the most samples of a node', () => {
  const profile = makeProfile(13);
  const { data, tree, accept } = load(profile);
  const dominant = dominantThreads(data, tree, accept);
  const perThread = data.threads.map((_, thread) => pathTotals(chosen(profile, { threads: [thread] }), 'function'));
  for (let node = 1; node < tree.count; node++) {
    const path = pathOf({ parent: tree.parent, entry: tree.entry }, node)
      .map((entry) => ` > ${keyOfEntry(data, tree, entry, 'function')}`)
      .join('');
    const counts = perThread.map((totals) => totals.get(path) ?? 0);
    assert.equal(counts[dominant[node]], Math.max(...counts));
  }
});

test('samples over time', () => {
  const profile = makeProfile(14);
  const { data, accept } = load(profile, { gil: 'only', time: [3, 4] });
  const [now] = sumBuckets(data, accept);
  now.forEach((samples, bucket) => {
    assert.equal(samples, sumSamples(chosen(profile, { gil: 'only', time: [bucket, bucket] })));
  });
});

test('layout: children within their parent, rows in order, what is drawn is found', () => {
  const { tree, weights } = load(makeProfile(15));
  for (const order of ['weight', 'name']) {
    const view = new CallTree(tree, weights, makeScale(weights, 'both'), order);
    const layout = new Layout(view, 0, 700);
    layout.grow(Infinity);
    const place = new Map([...layout.node.subarray(0, layout.count)].map((node, i) => [node, i]));
    for (let i = 0; i < layout.count; i++) {
      const row = layout.rowOf(i);
      assert.ok(i >= layout.rowStart[row] && i < layout.rowStart[row + 1]);
      assert.equal(layout.find(row, (layout.left[i] + layout.right[i]) / 2), i);
      const node = layout.node[i];
      if (node !== NONE && row > 0) {
        const parent = place.get(view.parent[node]);
        assert.ok(layout.left[i] >= layout.left[parent] - 1e-6 && layout.right[i] <= layout.right[parent] + 1e-6);
        const wide = (700 * weights.totalNow[node]) / weights.sumNow;
        assert.ok(Math.abs(layout.right[i] - layout.left[i] - wide) < 1e-6);
      }
    }
  }
});

test('a path leads back to its node', () => {
  const { tree, weights } = load(makeProfile(16));
  const view = new CallTree(tree, weights, makeScale(weights, 'both'), 'weight');
  for (let node = 0; node < tree.count; node += 17) {
    assert.equal(nodeAt(view, pathOf(view, node)), node);
  }
  assert.equal(nodeAt(view, [999999]), 0);
});

test('the address holds the state', () => {
  const { data } = load(makeProfile(17));
  const state = {
    ...defaultState(data),
    by: 'line',
    view: 'callers',
    root: 'bottom',
    colours: 'self',
    theme: 'dark',
    search: 'a&b=c #%ü🐍',
    regex: true,
    threads: [1, 3],
    time: [4, 9],
    gc: 'not',
    zoom: [3, 1, 2],
    focus: 5,
    mark: 2,
  };
  assert.deepEqual(
    parseFragment(data, writeFragment(data, state), () => 100),
    state
  );
  assert.equal(writeFragment(data, defaultState(data)), '');
  const none = { ...defaultState(data), threads: [] };
  assert.deepEqual(
    parseFragment(data, writeFragment(data, none), () => 100),
    none
  );
});

test('an address that makes no sense is left out', () => {
  const { data } = load(makeProfile(18));
  const junk =
    'by=x&view=tree2&threads=99&time=9.3&zoom=1.x&focus=-1&mark=1e9&widths=&colours=change&%%%=&gil=maybe&sort=__proto__';
  assert.deepEqual(
    parseFragment(data, junk, () => 10),
    defaultState(data)
  );
  assert.deepEqual(parseFragment(data, 'zoom=1.2.99', () => 10).zoom, []);
});

test('text on frames has a contrast of 4.5 in both themes', () => {
  const light = (css) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16) / 255);
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const { data, tree, weights, accept } = load(makeProfile(19, { diff: true }));
  const view = new CallTree(tree, weights, makeScale(weights, 'both'), 'weight');
  const sums = (self, total) => sumFunctions(data, tree, self, total);
  for (const dark of [false, true]) {
    const theme = themeColours(dark);
    const context = {
      data,
      tree,
      view,
      weights,
      theme,
      names: new Names(data),
      threadNames: data.threads.map(({ id }) => id),
      dominant: dominantThreads(data, tree, accept),
      functionSums: { now: sums(weights.selfNow, weights.totalNow), base: sums(weights.selfBase, weights.totalBase) },
    };
    for (const colours of ['module', 'thread', 'self', 'change']) {
      const painter = makePainter(colours, context);
      for (const { fill, text } of [...painter.palette, theme.grey, theme.root, theme.match, theme.faded]) {
        assert.ok(contrast(fill, text) >= 4.5, `${colours} ${fill} ${text}`);
      }
      for (let node = 1; node < tree.count; node++) {
        assert.ok(painter.palette[painter.colour(node)]);
      }
    }
  }
});

test('names are one line in which everything can be seen', () => {
  assert.equal(visible('a\0b\u202ec\nd'), 'a\\u0000b\\u202ec\\u000ad');
  assert.equal(visible('👩‍👩‍👧 é 漢'), '👩‍👩‍👧 é 漢');
  assert.equal(cutText('🐍🐍🐍', 4), '🐍…');
  assert.equal(cutText('abc', 3), 'abc');
});

test('the SVG holds names as text only', () => {
  const { data, tree, weights } = load(makeHostileProfile());
  const names = new Names(data);
  const view = new CallTree(tree, weights, makeScale(weights, 'both'), 'weight');
  const layout = new Layout(view, 0, 5000);
  layout.grow(Infinity);
  const label = (node) => (view.entry[node] === NONE ? 'all' : names.label(tree.entries, view.entry[node]));
  const theme = themeColours(false);
  const svg = makeSvg(layout, HOSTILE_NAMES[4], HOSTILE_NAMES.slice(0, 4), {
    label,
    tip: label,
    paintOf: () => theme.root,
    theme,
    fromBottom: true,
  });
  const tags = new Set([...svg.matchAll(/<\/?([^\s>/]+)/g)].map(([, tag]) => tag));
  assert.deepEqual([...tags].sort(), ['?xml', 'g', 'rect', 'svg', 'text', 'title']);
  // eslint-disable-next-line no-control-regex -- what XML can't hold
  assert.ok(!/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(svg));
  assert.equal(escapeXml('\ud800<a b="c">\ufffe'), '\ufffd&#60;a b=&#34;c&#34;&#62;\ufffd');
});

test('numbers as text', () => {
  assert.equal(percentText(1, 4), '25.0 %');
  assert.equal(percentText(1, 1000000), '<0.01 %');
  assert.equal(percentText(0, 5), '0.00 %');
  assert.equal(percentText(0, 0), '–');
  assert.equal(changeText(0.1, 0.25), '+15.00 pp');
  assert.equal(changeText(0.25, 0.1), '−15.00 pp');
  assert.equal(timeText(1500), '1.5 ms');
  assert.equal(timeText(2.5e6), '2.50 s');
});
