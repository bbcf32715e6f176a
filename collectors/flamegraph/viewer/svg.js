// The view as an SVG image of its own: no script, no links, names as escaped text.

import { NONE } from './tree.js';
import { ROW_HEIGHT, fitLabel } from './canvas.js';

const MARGIN = 10;
const HEAD = 48;
const CHARACTER_WIDTH = 6.6;

// What XML can't hold becomes the replacement character: halves of characters, most controls.
export function escapeXml(text) {
  return text
    .replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (part) => (part.length === 2 ? part : '\ufffd'))
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd') // eslint-disable-line no-control-regex
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function rectangle(layout, index, top, { label, tip, paintOf, theme }) {
  const node = layout.node[index];
  const left = layout.left[index];
  const wide = layout.right[index] - left;
  const place = `x="${(left + MARGIN).toFixed(2)}" y="${top}"`;
  const width = (wide > 3 ? wide - 1 : wide).toFixed(2);
  if (node === NONE) {
    return `<rect ${place} width="${width}" height="${ROW_HEIGHT / 2}" fill="${theme.hint}"/>`;
  }
  const paint = paintOf(node);
  const text = label(node);
  const fitted = fitLabel(text, text.length * CHARACTER_WIDTH, wide - 8);
  const written =
    fitted === ''
      ? ''
      : `<text x="${(left + MARGIN + 4).toFixed(2)}" y="${top + 14}" fill="${paint.text}">${escapeXml(fitted)}</text>`;
  return (
    `<g><title>${escapeXml(tip(node))}</title>` +
    `<rect ${place} width="${width}" height="${ROW_HEIGHT - 1}" fill="${paint.fill}"/>${written}</g>`
  );
}

// `look` has what the canvas has (label, paintOf, theme, fromBottom), and tip(node), the title of a frame.
export function makeSvg(layout, title, lines, look) {
  const width = Math.ceil(layout.width) + 2 * MARGIN;
  const height = HEAD + layout.rows * ROW_HEIGHT + MARGIN;
  const ink = look.theme.dark ? '#e8eaed' : '#1f2328';
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
      ' font-family="system-ui, sans-serif" font-size="12">',
    `<title>${escapeXml([title, ...lines].join(' · '))}</title>`,
    `<rect width="${width}" height="${height}" fill="${look.theme.background}"/>`,
    `<text x="${MARGIN}" y="20" font-size="15" font-weight="600" fill="${ink}">${escapeXml(title)}</text>`,
    `<text x="${MARGIN}" y="38" fill="${ink}">${escapeXml(lines.join(' · '))}</text>`,
  ];
  for (let row = 0; row < layout.rows; row++) {
    const top = HEAD + (look.fromBottom ? layout.rows - 1 - row : row) * ROW_HEIGHT;
    for (let i = layout.rowStart[row]; i < layout.rowStart[row + 1]; i++) {
      parts.push(rectangle(layout, i, top, look));
    }
  }
  parts.push('</svg>', '');
  return parts.join('\n');
}
