// The numbers of a page computed again from the samples that it was made of, in the plainest way: no tree, no typed
// arrays, none of the viewer's code.

import { STATUS } from './page_data.mjs';

// Between the parts of a key: a character that no name here has.
export const SEPARATOR = '\u{10ffff}';

export function functionKey({ name, file }) {
  return file + SEPARATOR + name;
}

// What tells frames apart at a granularity.
export function entryKey(frame, by) {
  const { line = 0, detail = null } = frame;
  const parts = { function: [], line: [line], instruction: [line, detail] };
  return [functionKey(frame), ...parts[by]].join(SEPARATOR);
}

const TESTS = {
  gil: ({ status }) => (status & STATUS.gil) !== 0,
  cpu: ({ status }) => (status & STATUS.cpuUnknown ? null : (status & STATUS.cpu) !== 0),
  waiting: ({ status }) => (status & STATUS.waiting) !== 0,
  exception: ({ status }) => (status & STATUS.exception) !== 0,
  gc: ({ stack }, frames) => stack.some((frame) => frames[frame].name === '<GC>' && frames[frame].file === '~'),
};

function passes(sample, frames, filters) {
  const { threads = null, time = null } = filters;
  if (threads !== null && !threads.includes(sample.thread ?? 0)) {
    return false;
  }
  if (time !== null && (sample.bucket < time[0] || sample.bucket > time[1])) {
    return false;
  }
  return Object.entries(TESTS).every(([key, test]) => {
    const want = filters[key] ?? 'any';
    return want === 'any' || test(sample, frames) === (want === 'only');
  });
}

// The samples that filters leave, with their stacks as frames; `base` for those of the capture compared with.
export function chosen({ facts, frames, threads, samples }, filters = {}, base = false) {
  return samples
    .filter((sample) => facts.captures[threads[sample.thread ?? 0].capture ?? 0].base === base)
    .filter((sample) => passes({ bucket: 0, status: 3, ...sample }, frames, filters))
    .map((sample) => ({
      frames: sample.stack.map((frame) => frames[frame]),
      count: sample.count ?? 1,
      thread: sample.thread ?? 0,
    }));
}

export function sumSamples(samples) {
  return samples.reduce((sum, { count }) => sum + count, 0);
}

function add(map, key, count) {
  map.set(key, (map.get(key) ?? 0) + count);
}

// { self, total }: Maps from the key of a function to samples.
export function functionSums(samples) {
  const self = new Map();
  const total = new Map();
  for (const { frames, count } of samples) {
    if (frames.length > 0) {
      add(self, functionKey(frames.at(-1)), count);
    }
    for (const key of new Set(frames.map(functionKey))) {
      add(total, key, count);
    }
  }
  return { self, total };
}

// Samples of each path, as a Map from the keys joined by " > ". The paths begin at `from(frames)`, a list of paths.
export function pathTotals(samples, by, pathsOf = (frames) => [frames]) {
  const totals = new Map();
  for (const { frames, count } of samples) {
    for (const path of pathsOf(frames)) {
      let text = '';
      for (const frame of path) {
        text += ` > ${entryKey(frame, by)}`;
        add(totals, text, count);
      }
    }
  }
  return totals;
}

// Samples with a function on the stack for which `test(name, file)` holds, each sample once.
export function matching(samples, test) {
  return sumSamples(
    samples.filter(({ frames }) => frames.some(({ name, file }) => test(name) || test(`${file}:${name}`)))
  );
}
