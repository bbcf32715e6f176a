// Where the frames of a view are: row by row, from the node at the top of what is shown, as wide as their weight.
//
// What would be narrower than MIN_WIDTH is not laid out. Such neighbours become one hint, a rectangle without a node, and
// what is below them is not looked at: the work depends on the screen, not on the size of the tree.

import { NONE } from './tree.js';
import { grown } from './views.js';

export const MIN_WIDTH = 0.5;

export class Layout {
  constructor(view, top, width) {
    this.view = view;
    this.width = width;
    this.node = new Uint32Array(1024);
    this.left = new Float64Array(1024);
    this.right = new Float64Array(1024);
    this.count = 0;
    // Row r is rectangles rowStart[r] up to, not including, rowStart[r + 1].
    this.rowStart = [0];
    this.scale = view.weight[top] > 0 ? width / view.weight[top] : 0;
    if (this.scale > 0) {
      this.add(top, 0, width);
      this.rowStart.push(1);
    }
  }

  get rows() {
    return this.rowStart.length - 1;
  }

  add(node, left, right) {
    if (this.count === this.node.length) {
      this.node = grown(this.node, this.count + 1);
      this.left = grown(this.left, this.count + 1);
      this.right = grown(this.right, this.count + 1);
    }
    this.node[this.count] = node;
    this.left[this.count] = left;
    this.right[this.count] = right;
    this.count++;
  }

  // Lays out rows until there are `rows`, or all.
  grow(rows) {
    while (this.rows < rows && this.rows > 0) {
      const before = this.count;
      for (let i = this.rowStart[this.rows - 1]; i < before; i++) {
        if (this.node[i] !== NONE) {
          this.addChildren(this.node[i], this.left[i]);
        }
      }
      if (this.count === before) {
        return;
      }
      this.rowStart.push(this.count);
    }
  }

  addChildren(node, left) {
    const { view, scale } = this;
    view.open(node);
    const { list, weight } = view;
    const end = view.childEnd[node];
    let x = left;
    let hint = left;
    for (let i = view.childStart[node]; i < end; i++) {
      const right = x + weight[list[i]] * scale;
      if (right - x >= MIN_WIDTH) {
        this.addHint(hint, x);
        this.add(list[i], x, right);
        hint = right;
      }
      x = right;
    }
    this.addHint(hint, x);
  }

  addHint(left, right) {
    if (right - left >= MIN_WIDTH) {
      this.add(NONE, left, right);
    }
  }

  // The rectangle at a place, or -1.
  find(row, x) {
    if (row < 0 || row >= this.rows) {
      return -1;
    }
    let low = this.rowStart[row];
    let high = this.rowStart[row + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.right[middle] <= x) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < this.rowStart[row + 1] && this.left[low] <= x ? low : -1;
  }

  rowOf(index) {
    let low = 0;
    let high = this.rows;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.rowStart[middle] <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // The rectangle of a node among the rows there are, or -1.
  indexOf(node) {
    const index = this.node.subarray(0, this.count).indexOf(node);
    return node === NONE ? -1 : index;
  }
}
