// Numbers as text.

const counts = new Intl.NumberFormat('en');

export function countText(count) {
  return counts.format(count);
}

export function plural(count, one, many) {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function percentText(part, whole) {
  if (whole === 0) {
    return '–';
  }
  const percent = (100 * part) / whole;
  return `${percent > 0 && percent < 0.005 ? '<0.01' : percent.toFixed(percent < 9.995 ? 2 : 1)} %`;
}

// A change of shares, in percentage points; both are of 1.
export function changeText(before, after) {
  const points = 100 * (after - before);
  if (Math.abs(points) < 0.005) {
    return '±0.00 pp';
  }
  return `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(2)} pp`;
}

export function timeText(microseconds) {
  const seconds = microseconds / 1e6;
  if (seconds >= 600) {
    return `${countText(Math.round(seconds / 60))} min`;
  }
  if (seconds >= 1) {
    return `${seconds.toFixed(2)} s`;
  }
  return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(1)} ms` : `${microseconds.toFixed(0)} µs`;
}
