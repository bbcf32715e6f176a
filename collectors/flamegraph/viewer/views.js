// What the graph shows: a tree of nodes that opens as it is drawn.
//
// Both kinds have the same face. Node 0 is the root. `parent`, `entry`, `now`, `base` (null unless the page compares) and
// `weight` (what widths are made of) have a number for each node; after `open(node)` its children are
// `list[childStart[node]]` up to, not including, `list[childEnd[node]]`, in the order they are drawn in.

import { NONE } from './tree.js';

// What widths are made of. When comparing, each side is a share of its own samples, so that captures of different length
// compare; by `widths` the two are added or one is taken.
export function makeScale(weights, widths) {
  const { totalBase, sumNow, sumBase } = weights;
  if (totalBase === null) {
    return { now: 1, base: 0 };
  }
  return {
    now: widths === 'before' || sumNow === 0 ? 0 : 1 / sumNow,
    base: widths === 'after' || sumBase === 0 ? 0 : 1 / sumBase,
  };
}

function compareBy(order, view, rank) {
  const byName = (a, b) => rank[view.entry[a]] - rank[view.entry[b]];
  return order === 'name' ? byName : (a, b) => view.weight[b] - view.weight[a] || byName(a, b);
}

// The whole prefix tree: callers above callees. Children are only sorted where they are looked at.
export class CallTree {
  constructor(tree, weights, scale, order) {
    this.parent = tree.parent;
    this.entry = tree.entry;
    this.now = weights.totalNow;
    this.base = weights.totalBase;
    this.selfNow = weights.selfNow;
    this.selfBase = weights.selfBase;
    this.weight = this.base === null ? this.now : this.now.map((now, i) => now * scale.now + this.base[i] * scale.base);
    this.childStart = tree.childStart;
    this.childEnd = tree.childStart.subarray(1);
    this.sorted = order === 'weight' ? new Uint8Array(tree.count) : null;
    this.list = order === 'weight' ? tree.children.slice() : tree.children;
    this.compare = compareBy(order, this, tree.rank);
  }

  open(node) {
    if (this.sorted === null || this.sorted[node] === 1) {
      return;
    }
    this.sorted[node] = 1;
    const start = this.childStart[node];
    const end = this.childEnd[node];
    if (end - start > 1) {
      this.list.subarray(start, end).sort(this.compare);
    }
  }
}

// A copy of a typed array with room for at least `size` elements.
export function grown(array, size) {
  if (size <= array.length) {
    return array;
  }
  const copy = new array.constructor(Math.max(size, array.length * 2));
  copy.set(array);
  return copy;
}

// Nodes of the prefix tree in groups that have one path: up, to the callers, or down, to the callees.
//
//   callers, no focus    roots are the functions that have self weight; children are who called them for it
//   callers of a focus   the root's child is the function, with its total; children are who called it
//   callees of a focus   the root's child is the function, with its total; children are what it called
//
// A group has members: `where`, a node of the prefix tree with the group's entry, and `origin`, the node whose weight the
// member brings. Going up, the members of all children are members of the group itself, moved, so they take its place in
// the pool; going down they are new.
export class GroupTree {
  constructor(tree, weights, scale, order, { up, focus }) {
    Object.assign(this, { tree, up, scale });
    const whole = focus !== null || !up;
    this.source = whole ? [weights.totalNow, weights.totalBase] : [weights.selfNow, weights.selfBase];
    this.compare = compareBy(order, this, tree.rank);
    this.count = 1;
    this.parent = new Uint32Array(64);
    this.entry = new Uint32Array(64);
    this.now = new Float64Array(64);
    this.base = weights.totalBase === null ? null : new Float64Array(64);
    this.weight = this.base === null ? this.now : new Float64Array(64);
    this.opened = new Uint8Array(64);
    this.memberStart = new Uint32Array(64);
    this.memberEnd = new Uint32Array(64);
    this.childStart = new Uint32Array(64);
    this.childEnd = new Uint32Array(64);
    this.list = new Uint32Array(64);
    this.entry[0] = NONE;
    this.countOfEntry = new Uint32Array(tree.entries.count);
    this.where = new Uint32Array(0);
    this.origin = new Uint32Array(0);
    this.poolEnd = 0;
    this.addRoots(weights, focus);
  }

  addRoots(weights, focus) {
    const { tree } = this;
    const members = [];
    for (let i = 1; i < tree.count; i++) {
      const counts = focus === null || (tree.outermost[i] === 1 && tree.entries.func[tree.entry[i]] === focus);
      if (counts && this.hasWeight(i)) {
        members.push(i);
      }
    }
    this.opened[0] = 1;
    this.addChildren(0, members, members, 0);
    // All samples, also those without frames; of a focus only its own.
    this.now[0] = focus === null ? weights.sumNow : this.sumOfChildren(this.now);
    if (this.base !== null) {
      this.base[0] = focus === null ? weights.sumBase : this.sumOfChildren(this.base);
    }
    this.weigh(0);
  }

  hasWeight(origin) {
    const [now, base] = this.source;
    return now[origin] > 0 || (base !== null && base[origin] > 0);
  }

  sumOfChildren(weights) {
    let sum = 0;
    for (let i = this.childStart[0]; i < this.childEnd[0]; i++) {
      sum += weights[this.list[i]];
    }
    return sum;
  }

  weigh(node) {
    if (this.base !== null) {
      this.weight[node] = this.now[node] * this.scale.now + this.base[node] * this.scale.base;
    }
  }

  reserve(count) {
    for (const name of ['parent', 'entry', 'opened', 'memberStart', 'memberEnd', 'childStart', 'childEnd', 'list']) {
      this[name] = grown(this[name], count);
    }
    this.now = grown(this.now, count);
    if (this.base === null) {
      this.weight = this.now;
    } else {
      this.base = grown(this.base, count);
      this.weight = grown(this.weight, count);
    }
  }

  // Makes a child of each entry among the members, whose places in the pool begin at `start`.
  addChildren(node, where, origin, start) {
    const { tree, countOfEntry } = this;
    const found = [];
    for (const place of where) {
      if (countOfEntry[tree.entry[place]]++ === 0) {
        found.push(tree.entry[place]);
      }
    }
    const first = this.count;
    this.count += found.length;
    this.reserve(this.count);
    this.where = grown(this.where, start + where.length);
    this.origin = grown(this.origin, start + where.length);
    this.poolEnd = Math.max(this.poolEnd, start + where.length);
    let at = start;
    found.forEach((entry, i) => {
      const child = first + i;
      this.parent[child] = node;
      this.entry[child] = entry;
      this.memberStart[child] = at;
      this.memberEnd[child] = at;
      at += countOfEntry[entry];
      countOfEntry[entry] = child;
    });
    this.placeMembers(where, origin);
    for (let i = 0; i < found.length; i++) {
      countOfEntry[found[i]] = 0;
      this.weigh(first + i);
      this.list[first + i] = first + i;
    }
    this.childStart[node] = first;
    this.childEnd[node] = this.count;
    this.list.subarray(first, this.count).sort(this.compare);
  }

  // Puts members beside the others of their group. countOfEntry says which group that is, for now.
  placeMembers(where, origin) {
    const [now, base] = this.source;
    for (let i = 0; i < where.length; i++) {
      const child = this.countOfEntry[this.tree.entry[where[i]]];
      const place = this.memberEnd[child]++;
      this.where[place] = where[i];
      this.origin[place] = origin[i];
      this.now[child] += now[origin[i]];
      if (base !== null) {
        this.base[child] += base[origin[i]];
      }
    }
  }

  open(node) {
    if (this.opened[node] === 1) {
      return;
    }
    this.opened[node] = 1;
    if (this.up) {
      this.openUp(node);
    } else {
      this.openDown(node);
    }
  }

  openUp(node) {
    const { parent } = this.tree;
    const where = [];
    const origin = [];
    const ended = [];
    const start = this.memberStart[node];
    for (let i = start; i < this.memberEnd[node]; i++) {
      const caller = parent[this.where[i]];
      if (caller !== 0) {
        where.push(caller);
        origin.push(this.origin[i]);
      } else {
        ended.push(this.origin[i]);
      }
    }
    this.addChildren(node, where, origin, start);
    this.origin.set(ended, start + where.length);
  }

  openDown(node) {
    const { childStart, children } = this.tree;
    const where = [];
    for (let i = this.memberStart[node]; i < this.memberEnd[node]; i++) {
      const place = this.where[i];
      for (let j = childStart[place]; j < childStart[place + 1]; j++) {
        if (this.hasWeight(children[j])) {
          where.push(children[j]);
        }
      }
    }
    this.addChildren(node, where, where, this.poolEnd);
  }
}

// --- Paths -----------------------------------------------------------------------------------------------------------

// The entries from below the root to the node: what a node is known by when the view is made anew.
export function pathOf(view, node) {
  const path = [];
  for (let i = node; i !== 0; i = view.parent[i]) {
    path.push(view.entry[i]);
  }
  return path.reverse();
}

// The node at the end of a path, or as far along as there is one with weight.
export function nodeAt(view, path) {
  let node = 0;
  for (const entry of path) {
    view.open(node);
    let next = NONE;
    for (let i = view.childStart[node]; i < view.childEnd[node]; i++) {
      if (view.entry[view.list[i]] === entry) {
        next = view.list[i];
        break;
      }
    }
    if (next === NONE || view.weight[next] === 0) {
      break;
    }
    node = next;
  }
  return node;
}
