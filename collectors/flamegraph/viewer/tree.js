// The prefix tree of a page, merged to a granularity, and its weights.
//
// The data tells nodes apart as finely as it was written: by function, by line or by instruction. An *entry* is what nodes
// of a merged tree tell apart: a function, a line of one, or a frame. Nodes keep the order of the data: a parent has a
// lower number than its children, so one pass forward or backward is a walk from or to the root.

// No node, no entry, no thread.
export const NONE = 0xffffffff;

function entriesByFunction({ functions, frames }) {
  return {
    count: functions.count,
    func: Uint32Array.from({ length: functions.count }, (_, i) => i),
    line: new Int32Array(functions.count),
    detail: new Uint32Array(functions.count),
    ofFrame: frames.func,
  };
}

function entriesByLine({ frames }) {
  const known = new Map();
  const ofFrame = new Uint32Array(frames.count);
  const func = [];
  const line = [];
  for (let i = 0; i < frames.count; i++) {
    const key = `${frames.func[i]} ${frames.line[i]}`;
    let entry = known.get(key);
    if (entry === undefined) {
      entry = func.length;
      known.set(key, entry);
      func.push(frames.func[i]);
      line.push(frames.line[i]);
    }
    ofFrame[i] = entry;
  }
  const count = func.length;
  return { count, func: Uint32Array.from(func), line: Int32Array.from(line), detail: new Uint32Array(count), ofFrame };
}

function entriesByFrame({ frames }) {
  const { count, func, line, detail } = frames;
  return { count, func, line, detail, ofFrame: Uint32Array.from({ length: count }, (_, i) => i) };
}

function makeEntries(data, by) {
  if (by === 'function') {
    return entriesByFunction(data);
  }
  return by === 'line' ? entriesByLine(data) : entriesByFrame(data);
}

// Rank of each entry by name, then file, line and number: for orders by name that are the same every time.
function rankEntries(data, entries) {
  const { strings, functions } = data;
  const key = (entry) => strings[functions.name[entries.func[entry]]];
  const file = (entry) => strings[functions.file[entries.func[entry]]];
  const compareText = (a, b) => (a < b ? -1 : Number(a > b));
  const order = Uint32Array.from({ length: entries.count }, (_, i) => i).sort(
    (a, b) => compareText(key(a), key(b)) || compareText(file(a), file(b)) || entries.line[a] - entries.line[b] || a - b
  );
  const rank = new Uint32Array(entries.count);
  order.forEach((entry, i) => {
    rank[entry] = i;
  });
  return { order, rank };
}

// Merges nodes whose paths are the same entries. A hash table with open addresses, since a Map of a million keys is slow.
function mergeNodes({ nodes }, entries) {
  const ofNode = new Uint32Array(nodes.count);
  const parent = new Uint32Array(nodes.count);
  const entry = new Uint32Array(nodes.count);
  let count = 1;
  const size = 2 ** Math.ceil(Math.log2(nodes.count * 2 + 1));
  const slots = new Uint32Array(size).fill(NONE);
  entry[0] = NONE;
  for (let i = 1; i < nodes.count; i++) {
    const above = ofNode[nodes.parent[i]];
    const own = entries.ofFrame[nodes.frame[i]];
    let slot = (Math.imul(above, 0x9e3779b1) ^ Math.imul(own + 1, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    let node = slots[slot];
    while (node !== NONE && (parent[node] !== above || entry[node] !== own)) {
      slot = (slot + 1) & (size - 1);
      node = slots[slot];
    }
    if (node === NONE) {
      node = count++;
      parent[node] = above;
      entry[node] = own;
      slots[slot] = node;
    }
    ofNode[i] = node;
  }
  return { count, ofNode, parent: parent.slice(0, count), entry: entry.slice(0, count) };
}

// Each node's children beside each other, in the order of their names.
function listChildren(tree, order) {
  const { count, parent, entry } = tree;
  const childStart = new Uint32Array(count + 1);
  for (let i = 1; i < count; i++) {
    childStart[parent[i] + 1]++;
  }
  for (let i = 0; i < count; i++) {
    childStart[i + 1] += childStart[i];
  }
  // Nodes by entry, so that going through the entries by rank puts children in order without a sort.
  const entryStart = new Uint32Array(order.length + 1);
  for (let i = 1; i < count; i++) {
    entryStart[entry[i] + 1]++;
  }
  for (let i = 0; i < order.length; i++) {
    entryStart[i + 1] += entryStart[i];
  }
  const byEntry = new Uint32Array(count - 1);
  const nextOfEntry = entryStart.slice();
  for (let i = 1; i < count; i++) {
    byEntry[nextOfEntry[entry[i]]++] = i;
  }
  const children = new Uint32Array(count - 1);
  const next = childStart.slice();
  for (const e of order) {
    for (let i = entryStart[e]; i < entryStart[e + 1]; i++) {
      children[next[parent[byEntry[i]]]++] = byEntry[i];
    }
  }
  return { childStart, children };
}

// Which nodes are the outermost of their function on their stack: a function's total is the sum of these, so that
// recursion counts once.
function markOutermost(tree, functionCount) {
  const { count, parent, entry, entries, childStart, children } = tree;
  const outermost = new Uint8Array(count);
  const onPath = new Uint32Array(functionCount);
  const next = childStart.slice(0, count);
  let node = 0;
  for (;;) {
    if (next[node] < childStart[node + 1]) {
      node = children[next[node]++];
      outermost[node] = onPath[entries.func[entry[node]]]++ === 0 ? 1 : 0;
    } else if (node === 0) {
      return outermost;
    } else {
      onPath[entries.func[entry[node]]]--;
      node = parent[node];
    }
  }
}

// How many rows the deepest stack takes, with one for the root.
function countRows({ count, parent }) {
  const rows = new Uint32Array(count).fill(1);
  let most = 1;
  for (let i = 1; i < count; i++) {
    rows[i] = rows[parent[i]] + 1;
    most = Math.max(most, rows[i]);
  }
  return most;
}

export function makeTree(data, by) {
  const entries = makeEntries(data, by);
  const { order, rank } = rankEntries(data, entries);
  const tree = { by, entries, rank, ...mergeNodes(data, entries) };
  Object.assign(tree, listChildren(tree, order));
  tree.rows = countRows(tree);
  tree.outermost = markOutermost(tree, data.functions.count);
  return tree;
}

// --- Weights ---------------------------------------------------------------------------------------------------------

// Adds the samples of the children to their parents.
function addUp(tree, self) {
  const total = self.slice();
  for (let i = tree.count - 1; i > 0; i--) {
    total[tree.parent[i]] += total[i];
  }
  return total;
}

// A node's samples on each side, of the cells that `accept` lets through: now, and base when the page compares.
// `accept` is from filters.js. The result's arrays have a number for each node of the tree.
export function weighTree(data, tree, accept) {
  const { cells, sideOfKind } = data;
  const selfNow = new Float64Array(tree.count);
  const selfBase = data.diff ? new Float64Array(tree.count) : null;
  for (let i = 0; i < cells.count; i++) {
    if (accept.cell(i)) {
      const self = sideOfKind[cells.kind[i]] === 1 ? selfBase : selfNow;
      self[tree.ofNode[cells.node[i]]] += cells.samples[i];
    }
  }
  const totalNow = addUp(tree, selfNow);
  const totalBase = selfBase && addUp(tree, selfBase);
  return { selfNow, selfBase, totalNow, totalBase, sumNow: totalNow[0], sumBase: totalBase ? totalBase[0] : 0 };
}

// Self and total of each function, from a tree's weights.
export function sumFunctions(data, tree, self, total) {
  const sums = { self: new Float64Array(data.functions.count), total: new Float64Array(data.functions.count) };
  for (let i = 1; i < tree.count; i++) {
    const func = tree.entries.func[tree.entry[i]];
    sums.self[func] += self[i];
    if (tree.outermost[i] === 1) {
      sums.total[func] += total[i];
    }
  }
  return sums;
}

// How many samples have a function on their stack for which `matched` is 1.
export function sumMatched(tree, self, matched) {
  const hit = new Uint8Array(tree.count);
  let sum = 0;
  for (let i = 1; i < tree.count; i++) {
    hit[i] = hit[tree.parent[i]] | matched[tree.entries.func[tree.entry[i]]];
    sum += hit[i] * self[i];
  }
  return sum;
}

// The accepted cells of each thread: those of thread t are order[start[t]] up to, not including, order[start[t + 1]].
function cellsByThread({ cells, kinds, threads }, accept) {
  const start = new Uint32Array(threads.length + 1);
  const accepted = new Uint8Array(cells.count);
  for (let i = 0; i < cells.count; i++) {
    if (accept.cell(i)) {
      accepted[i] = 1;
      start[kinds.thread[cells.kind[i]] + 1]++;
    }
  }
  for (let i = 0; i < threads.length; i++) {
    start[i + 1] += start[i];
  }
  const order = new Uint32Array(start[threads.length]);
  const next = start.slice();
  for (let i = 0; i < cells.count; i++) {
    if (accepted[i] === 1) {
      order[next[kinds.thread[cells.kind[i]]]++] = i;
    }
  }
  return { start, order };
}

// Adds samples to a node and all above it; `visited` gets those that had none.
function addToPath(tree, sum, node, samples, visited) {
  for (let i = node; ; i = tree.parent[i]) {
    if (sum[i] === 0) {
      visited.push(i);
    }
    sum[i] += samples;
    if (i === 0) {
      return;
    }
  }
}

// The thread with the most samples of each node of the tree, NONE without samples. Sums are kept for one thread at a
// time, of the nodes that it has been to.
export function dominantThreads(data, tree, accept) {
  const { cells, threads } = data;
  const { start, order } = cellsByThread(data, accept);
  const dominant = new Uint32Array(tree.count).fill(NONE);
  const most = new Float64Array(tree.count);
  const sum = new Float64Array(tree.count);
  for (let thread = 0; thread < threads.length; thread++) {
    const visited = [];
    for (let i = start[thread]; i < start[thread + 1]; i++) {
      addToPath(tree, sum, tree.ofNode[cells.node[order[i]]], cells.samples[order[i]], visited);
    }
    for (const node of visited) {
      if (sum[node] > most[node]) {
        most[node] = sum[node];
        dominant[node] = thread;
      }
      sum[node] = 0;
    }
  }
  return dominant;
}
