// The keys of the graph, and those that work anywhere on the page.

import { NONE } from './tree.js';

// The rectangle beside another in its row: the next one to the side that is a frame.
function beside(layout, index, step) {
  const row = layout.rowOf(index);
  for (let i = index + step; i >= layout.rowStart[row] && i < layout.rowStart[row + 1]; i += step) {
    if (layout.node[i] !== NONE) {
      return i;
    }
  }
  return index;
}

function above(layout, index) {
  const parent = layout.view.parent[layout.node[index]];
  const row = layout.rowOf(index);
  return row === 0 ? index : layout.node.subarray(0, layout.rowStart[row]).lastIndexOf(parent);
}

// The widest child.
function below(layout, index) {
  const row = layout.rowOf(index);
  layout.grow(row + 2);
  if (row + 2 > layout.rows) {
    return index;
  }
  let best = index;
  let width = 0;
  for (let i = layout.rowStart[row + 1]; i < layout.rowStart[row + 2]; i++) {
    const own = layout.node[i] !== NONE && layout.view.parent[layout.node[i]] === layout.node[index];
    if (own && layout.right[i] - layout.left[i] > width) {
      best = i;
      width = layout.right[i] - layout.left[i];
    }
  }
  return best;
}

// The rectangle that an arrow key leads to.
export function step(layout, index, key, fromBottom) {
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    return beside(layout, index, key === 'ArrowLeft' ? -1 : 1);
  }
  return (key === 'ArrowDown') !== fromBottom ? below(layout, index) : above(layout, index);
}

// actions: move(key), zoomIn, zoomOut, reset, toTable.
export function addGraphKeys(box, actions) {
  const keys = {
    Enter: actions.zoomIn,
    Escape: actions.zoomOut,
    Backspace: actions.zoomOut,
    Home: actions.reset,
    t: actions.toTable,
  };
  box.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key.startsWith('Arrow')) {
      actions.move(event.key);
    } else if (Object.hasOwn(keys, event.key)) {
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
}

export function addPageKeys({ search, help }) {
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input[type="search"], select, textarea, dialog') !== null;
    if (typing || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === '/') {
      search();
    } else if (event.key === '?') {
      help();
    } else {
      return;
    }
    event.preventDefault();
  });
}
