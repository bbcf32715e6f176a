// Which samples count: by thread, status, garbage collection and time.

import { STATUS } from './data.js';

// The status filters. Each is 'any', 'only' or 'not' in the state.
export const STATUS_FILTERS = [
  { key: 'gil', label: 'Has the GIL', bit: STATUS.gil, note: 'The thread has the GIL' },
  { key: 'cpu', label: 'On CPU', bit: STATUS.cpu, note: 'Where it is not known, a sample is neither' },
  { key: 'waiting', label: 'Waits for the GIL', bit: STATUS.waiting, note: 'The thread has asked for the GIL' },
  { key: 'exception', label: 'Exception', bit: STATUS.exception, note: 'The thread handles an exception' },
  { key: 'gc', label: 'GC', bit: 0, note: 'The stack has a <GC> frame' },
];

export const WANTS = ['any', 'only', 'not'];

// A filter is of use when its status occurs at all.
export function filterOccurs(data, filter) {
  return filter.key === 'gc' ? data.gcSeen : (data.statusSeen & filter.bit) !== 0;
}

function statusAccepted(status, filter, want) {
  if (want === 'any' || filter.bit === 0) {
    return true;
  }
  // Where it is not known whether a thread was on a CPU, it is neither.
  if (filter.key === 'cpu' && (status & STATUS.cpuUnknown) !== 0) {
    return false;
  }
  return ((status & filter.bit) !== 0) === (want === 'only');
}

// Which kinds the threads and statuses of a state let through.
function acceptKinds(data, state) {
  const { kinds, threads } = data;
  const chosen = new Uint8Array(threads.length).fill(state.threads === null ? 1 : 0);
  for (const thread of state.threads ?? []) {
    chosen[thread] = 1;
  }
  const accepted = new Uint8Array(kinds.count);
  for (let i = 0; i < kinds.count; i++) {
    const passes = STATUS_FILTERS.every((filter) => statusAccepted(kinds.status[i], filter, state[filter.key]));
    accepted[i] = passes ? chosen[kinds.thread[i]] : 0;
  }
  return accepted;
}

// cell(i): whether the cell counts. cellAtAnyTime(i): the same but for the range of time.
export function makeAccept(data, state) {
  const { cells, inGc } = data;
  const kindAccepted = acceptKinds(data, state);
  const [first, last] = state.time ?? [0, Infinity];
  const refusedGc = { any: 2, only: 0, not: 1 }[state.gc];
  const cellAtAnyTime = (i) => kindAccepted[cells.kind[i]] === 1 && inGc[cells.node[i]] !== refusedGc;
  return {
    cellAtAnyTime,
    cell: (i) => cells.bucket[i] >= first && cells.bucket[i] <= last && cellAtAnyTime(i),
  };
}

export function isFiltered(state) {
  return state.threads !== null || state.time !== null || STATUS_FILTERS.some(({ key }) => state[key] !== 'any');
}

// Samples in each bucket of time, of each side.
export function sumBuckets(data, accept) {
  const { cells, sideOfKind, facts } = data;
  const sides = [new Float64Array(facts.bucket_count), new Float64Array(facts.bucket_count)];
  for (let i = 0; i < cells.count; i++) {
    if (accept.cellAtAnyTime(i)) {
      sides[sideOfKind[cells.kind[i]]][cells.bucket[i]] += cells.samples[i];
    }
  }
  return sides;
}
