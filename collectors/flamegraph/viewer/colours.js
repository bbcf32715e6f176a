// Colours of frames. A painter gives each node a number; the palette has the CSS colours of each number and of the text on
// it, which is black or white, whichever is easier to read.

import { NONE } from './tree.js';

const HUES = 20;
const HEAT_STEPS = 16;
const CHANGE_STEPS = 17;
const LEGEND_MAX = 12;

// Red, green and blue, each 0 to 1.
function rgbOfHsl(hue, saturation, lightness) {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((shift) => {
    const k = (shift + hue / 30) % 12;
    return lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}

export function luminance(rgb) {
  const [r, g, b] = rgb.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function cssOfRgb(rgb) {
  return `#${rgb
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0')
    )
    .join('')}`;
}

function mix(from, to, share) {
  return from.map((part, i) => part + (to[i] - part) * share);
}

// A colour with the text colour of the better contrast, which is 4.5 or more for any colour.
function paint(rgb) {
  const light = luminance(rgb);
  return { fill: cssOfRgb(rgb), text: (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff' };
}

function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

// The colours of a theme that are not of one way to colour.
export function themeColours(dark) {
  return {
    dark,
    background: dark ? '#1d1f23' : '#ffffff',
    hint: dark ? '#3a3d44' : '#d9dce1',
    grey: paint(dark ? [0.3, 0.31, 0.33] : [0.83, 0.84, 0.86]),
    root: paint(dark ? [0.24, 0.25, 0.28] : [0.9, 0.91, 0.93]),
    match: paint(dark ? [0.87, 0.45, 0.9] : [0.78, 0.25, 0.83]),
    faded: paint(dark ? [0.2, 0.21, 0.23] : [0.92, 0.925, 0.935]),
    accent: dark ? '#6ea8fe' : '#0b57d0',
    bars: dark ? '#4a73b5' : '#86abe6',
  };
}

function huePaint(hue, step, dark) {
  const lightness = dark ? 0.36 + 0.07 * step : 0.76 - 0.07 * step;
  return paint(rgbOfHsl(hue, dark ? 0.38 : 0.62, lightness));
}

function heatPaint(share, dark) {
  return dark
    ? paint(mix([0.23, 0.24, 0.27], [1, 0.6, 0.2], share))
    : paint(mix([0.93, 0.93, 0.92], [0.86, 0.22, 0.08], share));
}

// -1: only before, 1: only now. Blue and orange-red also differ to who sees no difference of red and green.
export function changePaint(change, dark) {
  const middle = dark ? [0.3, 0.31, 0.33] : [0.88, 0.88, 0.88];
  const red = dark ? [0.95, 0.38, 0.25] : [0.84, 0.24, 0.14];
  const blue = dark ? [0.3, 0.55, 1] : [0.16, 0.42, 0.86];
  return paint(mix(middle, change > 0 ? red : blue, Math.abs(change)));
}

// How much a node changed: -1 to 1.
export function relativeChange(now, base) {
  return now + base === 0 ? 0 : (now - base) / (now + base);
}

// --- Ways to colour --------------------------------------------------------------------------------------------------

// Each makes { colour(node): a number, palette, legend }. The legend is a list of { text, fill }, or { ramp, from, to }.

// A hue and lightness for each module: by its name, so that a module looks the same on other pages, or the next free one.
function placeModules(modules) {
  const places = new Map();
  const taken = new Set();
  for (const module of [...modules].sort()) {
    let place = hash(module) % (HUES * 2);
    while (taken.has(place) && taken.size < HUES * 2) {
      place = (place + 7) % (HUES * 2);
    }
    taken.add(place);
    places.set(module, place);
  }
  return places;
}

function byModule({ data, names, tree, view, theme, functionSums }) {
  const { count } = data.functions;
  const codeModules = new Set();
  for (let i = 0; i < count; i++) {
    if (names.isCode(i)) {
      codeModules.add(names.module(i));
    }
  }
  const places = placeModules(codeModules);
  const palette = [theme.grey];
  for (let place = 0; place < HUES * 2; place++) {
    palette.push(huePaint(((place >> 1) * 360) / HUES, place & 1, theme.dark));
  }
  const numberOf = Uint8Array.from({ length: count }, (_, i) =>
    names.isCode(i) ? places.get(names.module(i)) + 1 : 0
  );
  const { func } = tree.entries;
  return {
    palette,
    colour: (node) => numberOf[func[view.entry[node]]],
    legend: heaviest(
      functionSums,
      (i) => names.module(i),
      (i) => palette[numberOf[i]].fill
    ),
  };
}

// The names with the most self weight among the functions.
function heaviest(functionSums, nameOf, fillOf) {
  const sums = new Map();
  functionSums.now.self.forEach((self, i) => {
    const name = nameOf(i);
    const sum = sums.get(name) ?? { text: name, fill: fillOf(i), self: 0 };
    sum.self += self + (functionSums.base?.self[i] ?? 0);
    sums.set(name, sum);
  });
  return [...sums.values()]
    .filter(({ self }) => self > 0)
    .sort((a, b) => b.self - a.self)
    .slice(0, LEGEND_MAX);
}

// The thread that the most samples of a node are of.
function byThread({ data, view, theme, threadNames, dominant }) {
  // The golden angle keeps any number of hues apart.
  const paintOf = (thread) => huePaint((thread * 137.508) % 360, thread & 1, theme.dark);
  const palette = [theme.grey, ...data.threads.map((_, thread) => paintOf(thread))];
  const numberOf = (thread) => (thread === NONE ? 0 : thread + 1);
  const known = new Map();
  const groupColour = (node) => {
    if (!known.has(node)) {
      known.set(node, numberOf(dominantOfGroup(view, node, dominant)));
    }
    return known.get(node);
  };
  const order = data.threads.map((_, i) => i).sort((a, b) => data.threads[b].samples - data.threads[a].samples);
  return {
    palette,
    colour: view.source ? groupColour : (node) => numberOf(dominant[node]),
    legend: order.slice(0, LEGEND_MAX).map((i) => ({ text: threadNames[i], fill: palette[i + 1].fill })),
  };
}

// Of a group of nodes: the thread of the heaviest of them.
function dominantOfGroup(view, node, dominant) {
  const [now] = view.source;
  let best = NONE;
  let most = 0;
  for (let i = view.memberStart[node]; i < view.memberEnd[node]; i++) {
    if (now[view.origin[i]] > most) {
      most = now[view.origin[i]];
      best = dominant[view.origin[i]];
    }
  }
  return best;
}

// The square root makes small shares differ too.
function bySelf({ tree, view, theme, weights, functionSums }) {
  const palette = Array.from({ length: HEAT_STEPS }, (_, i) => heatPaint(i / (HEAT_STEPS - 1), theme.dark));
  const { func } = tree.entries;
  const most = functionSums.now.self.reduce((a, b) => Math.max(a, b), 0);
  const step = (self) => (most === 0 ? 0 : Math.round(Math.sqrt(Math.min(self / most, 1)) * (HEAT_STEPS - 1)));
  return {
    palette,
    colour: (node) => step(functionSums.now.self[func[view.entry[node]]]),
    legend: {
      ramp: palette.map(({ fill }) => fill),
      from: 'no self time',
      to: `${((100 * most) / (weights.sumNow || 1)).toFixed(1)} % of the samples (self time of the function)`,
    },
  };
}

function byChange({ view, theme, weights }) {
  const half = (CHANGE_STEPS - 1) / 2;
  const palette = Array.from({ length: CHANGE_STEPS }, (_, i) => changePaint((i - half) / half, theme.dark));
  const share = (part, whole) => (whole === 0 ? 0 : part / whole);
  return {
    palette,
    colour: (node) => {
      const now = share(view.now[node], weights.sumNow);
      const base = share(view.base[node], weights.sumBase);
      return Math.round(relativeChange(now, base) * half) + half;
    },
    legend: {
      ramp: palette.map(({ fill }) => fill),
      from: 'only before (its share shrank)',
      to: 'only now (its share grew)',
    },
  };
}

const PAINTERS = { module: byModule, thread: byThread, self: bySelf, change: byChange };

export function makePainter(colours, context) {
  return PAINTERS[colours](context);
}
