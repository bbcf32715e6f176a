// Draws a layout on a canvas and says what is pointed at.
//
// The canvas is as large as the box that scrolls, not as the graph: it sticks to the top of the box, and only the rows in
// the box are drawn. What is hovered and selected is framed by two elements above it, so moving the pointer draws nothing.

import { NONE } from './tree.js';
import { cutText } from './names.js';

export const ROW_HEIGHT = 20;
const TEXT_MARGIN = 4;
const TEXT_WIDTH_MIN = 22;
const FONT = '12px system-ui, -apple-system, "Segoe UI", sans-serif';
const ROWS_AHEAD = 64;

// The part of a label that fits, '' when that says nothing.
export function fitLabel(label, labelWidth, room) {
  if (labelWidth <= room) {
    return label;
  }
  const length = Math.floor((label.length * room) / labelWidth);
  return length < 3 ? '' : cutText(label, length);
}

export class FlameCanvas {
  // Events: hover(index or -1), select(index), scrolled().
  constructor({ box, inner, canvas, hoverFrame, selectedFrame }, events) {
    Object.assign(this, { box, inner, canvas, hoverFrame, selectedFrame, events });
    this.context = canvas.getContext('2d', { alpha: false });
    this.layout = null;
    this.labelWidths = new Map();
    this.hovered = -1;
    this.pending = false;
    box.addEventListener('scroll', () => this.onScroll());
    box.addEventListener('pointermove', (event) => this.hover(this.indexAt(event)));
    box.addEventListener('pointerleave', () => this.hover(-1));
    box.addEventListener('click', (event) => {
      const index = this.indexAt(event);
      if (index >= 0 && this.layout.node[index] !== NONE) {
        events.select(index);
      }
    });
  }

  // What to draw, from now on: `label(node)`, `paintOf(node)` with fill and text, and whether the root is at the bottom.
  show(layout, { label, paintOf, theme, fromBottom }) {
    const moved = layout !== this.layout || fromBottom !== this.fromBottom;
    Object.assign(this, { layout, label, paintOf, theme, fromBottom });
    if (moved) {
      this.hover(-1);
      this.fit();
      this.box.scrollTop = fromBottom ? this.box.scrollHeight : 0;
    }
    this.drawSoon();
  }

  rowTop(row) {
    return (this.fromBottom ? this.layout.rows - 1 - row : row) * ROW_HEIGHT;
  }

  // Makes room for the rows that there are.
  fit() {
    this.inner.style.height = `${Math.max(this.layout.rows * ROW_HEIGHT, this.box.clientHeight)}px`;
  }

  onScroll() {
    const { box, layout, fromBottom } = this;
    if (layout === null) {
      return;
    }
    const left = fromBottom ? box.scrollTop : box.scrollHeight - box.scrollTop - box.clientHeight;
    if (left < ROW_HEIGHT) {
      const rows = layout.rows;
      layout.grow(rows + ROWS_AHEAD);
      if (layout.rows > rows) {
        this.fit();
        box.scrollTop += fromBottom ? (layout.rows - rows) * ROW_HEIGHT : 0;
        this.events.scrolled();
      }
    }
    this.drawSoon();
  }

  drawSoon() {
    if (!this.pending) {
      this.pending = true;
      requestAnimationFrame(() => {
        this.pending = false;
        this.draw();
      });
    }
  }

  // The canvas has a pixel for each of the screen's.
  resizeCanvas() {
    const { box, canvas, context } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.direction = 'ltr';
    return { width, height, ratio };
  }

  // The first and the last row that can be seen, the upper first.
  visibleRows(height) {
    const { box, layout } = this;
    const upper = Math.floor(box.scrollTop / ROW_HEIGHT);
    const lower = Math.min(Math.floor((box.scrollTop + height) / ROW_HEIGHT), layout.rows - 1);
    return this.fromBottom ? [layout.rows - 1 - lower, layout.rows - 1 - upper] : [upper, lower];
  }

  draw() {
    const { context, layout, theme } = this;
    if (layout === null) {
      return;
    }
    const { width, height, ratio } = this.resizeCanvas();
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    const [first, last] = this.visibleRows(height);
    for (let row = Math.max(first, 0); row <= last; row++) {
      this.drawRow(row, this.rowTop(row) - this.box.scrollTop + this.shift(), ratio);
    }
    this.placeFrames();
  }

  // With the root at the bottom, a graph of few rows stands at the bottom of the box.
  shift() {
    return this.fromBottom ? Math.max(this.box.clientHeight - this.layout.rows * ROW_HEIGHT, 0) : 0;
  }

  drawRow(row, top, ratio) {
    const { context, layout, theme } = this;
    const end = layout.rowStart[row + 1];
    for (let i = layout.rowStart[row]; i < end; i++) {
      const left = Math.round(layout.left[i] * ratio) / ratio;
      const wide = layout.right[i] - left;
      const node = layout.node[i];
      const paint = node === NONE ? null : this.paintOf(node);
      context.fillStyle = paint === null ? theme.hint : paint.fill;
      context.fillRect(left, top, wide > 3 ? wide - 1 : wide, paint === null ? ROW_HEIGHT / 2 : ROW_HEIGHT - 1);
      if (paint !== null && wide >= TEXT_WIDTH_MIN) {
        this.drawLabel(node, paint, left + TEXT_MARGIN, top, wide - 2 * TEXT_MARGIN);
      }
    }
  }

  drawLabel(node, paint, left, top, room) {
    const label = this.label(node);
    const fitted = fitLabel(label, this.labelWidth(label), room);
    if (fitted !== '') {
      this.context.fillStyle = paint.text;
      this.context.fillText(fitted, left, top + ROW_HEIGHT / 2, room);
    }
  }

  labelWidth(label) {
    let width = this.labelWidths.get(label);
    if (width === undefined) {
      width = this.context.measureText(label).width;
      this.labelWidths.set(label, width);
    }
    return width;
  }

  indexAt(event) {
    if (this.layout === null) {
      return -1;
    }
    const area = this.box.getBoundingClientRect();
    const y = event.clientY - area.top - this.box.clientTop + this.box.scrollTop - this.shift();
    const row = Math.floor(y / ROW_HEIGHT);
    const x = event.clientX - area.left - this.box.clientLeft;
    return this.layout.find(this.fromBottom ? this.layout.rows - 1 - row : row, x);
  }

  hover(index) {
    if (index !== this.hovered) {
      this.hovered = index;
      this.events.hover(index);
      this.placeFrames();
    }
  }

  select(index) {
    this.selected = index;
    this.placeFrames();
  }

  placeFrames() {
    this.placeFrame(this.hoverFrame, this.hovered);
    this.placeFrame(this.selectedFrame, this.selected ?? -1);
  }

  placeFrame(frame, index) {
    frame.hidden = index < 0 || this.layout === null || index >= this.layout.count;
    if (!frame.hidden) {
      const { left, right } = this.layout;
      frame.style.left = `${left[index]}px`;
      frame.style.width = `${Math.max(right[index] - left[index] - 1, 2)}px`;
      frame.style.top = `${this.rowTop(this.layout.rowOf(index)) + this.shift()}px`;
    }
  }

  scrollTo(index) {
    const top = this.rowTop(this.layout.rowOf(index));
    const { box } = this;
    if (top < box.scrollTop) {
      box.scrollTop = top;
    } else if (top + ROW_HEIGHT > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + ROW_HEIGHT - box.clientHeight;
    }
  }
}
