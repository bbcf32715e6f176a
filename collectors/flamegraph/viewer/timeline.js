// Activity over time, and the range of time that counts: by dragging, or by the two sliders.

import { countText, timeText } from './numbers.js';

const HEIGHT = 56;

export class Timeline {
  // `choose(range)` is called with [first, last] bucket, or null for all.
  constructor({ canvas, from, to, readout, clear }, data, choose) {
    Object.assign(this, { canvas, from, to, readout, clear, data, choose });
    this.count = data.facts.bucket_count;
    this.range = null;
    this.start = -1;
    for (const slider of [from, to]) {
      slider.min = 0;
      slider.max = Math.max(this.count - 1, 0);
      slider.addEventListener('input', () => this.slide(slider));
    }
    clear.addEventListener('click', () => choose(null));
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.drag(event));
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointercancel', () => this.cancel());
  }

  update(sides, range, theme) {
    Object.assign(this, { sides, range, theme });
    this.showRange(range);
    this.draw();
  }

  bucketAt(event) {
    const area = this.canvas.getBoundingClientRect();
    const share = (event.clientX - area.left) / area.width;
    return Math.min(Math.max(Math.floor(share * this.count), 0), this.count - 1);
  }

  press(event) {
    if (event.button === 0 && this.count > 0) {
      this.canvas.setPointerCapture(event.pointerId);
      this.start = this.bucketAt(event);
      this.startX = event.clientX;
    }
  }

  drag(event) {
    if (this.start >= 0) {
      const at = this.bucketAt(event);
      this.showRange([Math.min(this.start, at), Math.max(this.start, at)]);
      this.draw();
    }
  }

  // A click, which is no drag, clears.
  release(event) {
    if (this.start >= 0) {
      const at = this.bucketAt(event);
      const dragged = Math.abs(event.clientX - this.startX) > 3;
      const range = [Math.min(this.start, at), Math.max(this.start, at)];
      this.start = -1;
      this.choose(dragged ? range : null);
    }
  }

  cancel() {
    this.start = -1;
    this.showRange(this.range);
    this.draw();
  }

  // The sliders can't pass each other.
  slide(slider) {
    let first = Number(this.from.value);
    let last = Number(this.to.value);
    if (first > last) {
      if (slider === this.from) {
        last = first;
      } else {
        first = last;
      }
    }
    this.choose(first === 0 && last === this.count - 1 ? null : [first, last]);
  }

  showRange(range) {
    this.shown = range;
    const [first, last] = range ?? [0, Math.max(this.count - 1, 0)];
    const { bucket_us: width } = this.data.facts;
    this.from.value = first;
    this.to.value = last;
    this.from.setAttribute('aria-valuetext', timeText(first * width));
    this.to.setAttribute('aria-valuetext', timeText((last + 1) * width));
    const whole = `${timeText(first * width)} to ${timeText((last + 1) * width)}`;
    const sides = this.data.diff ? ' (bars: now, lines: before)' : '';
    this.readout.textContent = (range === null ? `All time: ${whole}` : `Only ${whole}`) + sides;
    this.clear.disabled = range === null;
  }

  draw() {
    const { canvas, count, sides, theme } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, HEIGHT);
    if (count === 0 || width === 0) {
      return;
    }
    const columns = sides.map((side) => this.columnsOf(side, width));
    const most = columns.flat().reduce((a, b) => Math.max(a, b), 0) || 1;
    context.fillStyle = theme.bars;
    this.drawBars(context, columns[0], width, most);
    if (this.data.diff) {
      context.fillStyle = theme.dark ? '#ffffff' : '#000000';
      this.drawSteps(context, columns[1], width, most);
    }
    this.drawRange(context, width);
    canvas.setAttribute('aria-label', `Samples over time, at most ${countText(Math.max(...sides[0], 0))} in one part`);
  }

  // As many columns as there is room for: each the mean of its buckets.
  columnsOf(side, width) {
    const columns = Math.min(this.count, Math.max(Math.floor(width), 1));
    const sums = new Array(columns).fill(0);
    const counts = new Array(columns).fill(0);
    side.forEach((samples, i) => {
      const column = Math.floor((i * columns) / this.count);
      sums[column] += samples;
      counts[column]++;
    });
    return sums.map((sum, i) => sum / counts[i]);
  }

  drawBars(context, columns, width, most) {
    const step = width / columns.length;
    columns.forEach((value, i) => {
      const height = (value / most) * (HEIGHT - 4);
      context.fillRect(i * step, HEIGHT - height, Math.max(step - (step > 4 ? 1 : 0), 0.5), height);
    });
  }

  drawSteps(context, columns, width, most) {
    const step = width / columns.length;
    columns.forEach((value, i) => {
      context.fillRect(i * step, HEIGHT - 1 - (value / most) * (HEIGHT - 4), step, 1.5);
    });
  }

  // What does not count is behind a veil.
  drawRange(context, width) {
    if (this.shown === null) {
      return;
    }
    const left = (this.shown[0] / this.count) * width;
    const right = ((this.shown[1] + 1) / this.count) * width;
    context.globalAlpha = 0.75;
    context.fillStyle = this.theme.background;
    context.fillRect(0, 0, left, HEIGHT);
    context.fillRect(right, 0, width - right, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = this.theme.accent;
    context.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 1), HEIGHT - 1);
  }
}
