// What is told about the captures: the title, the key numbers, the table of facts, the warnings.

import { element, byId } from './dom.js';
import { countText, plural, timeText } from './numbers.js';
import { visible, cutText } from './names.js';

const UNKNOWN = 'unknown';
const TEXT_MAX = 1000;

function textOf(value) {
  return cutText(visible(String(value)), TEXT_MAX);
}

function known(value, text) {
  return value === null || value === undefined ? UNKNOWN : text(value);
}

const ROWS = [
  ['Capture', (capture) => textOf(capture.name) + (capture.base ? ' (before: what is compared with)' : '')],
  ['Samples', (capture) => known(capture.samples, countText)],
  ['Duration', (capture) => known(capture.duration_s, (seconds) => timeText(seconds * 1e6))],
  ['Sample rate', (capture) => known(capture.rate, (rate) => `${rate.toFixed(1)} samples/s`)],
  ['Interval', (capture) => known(capture.interval_us, (us) => timeText(us))],
  ['Failed samples', (capture) => known(capture.failed_percent, (percent) => `${percent.toFixed(2)} %`)],
  ['Missed samples', (capture) => known(capture.missed_percent, (percent) => `${percent.toFixed(2)} %`)],
  ['Mode', (capture) => known(capture.mode, (mode) => textOf(mode))],
  ['Features', (capture) => known(capture.features, (list) => textOf(list.join(', ')) || 'none')],
  ['Python', (capture) => known(capture.python, (version) => textOf(version))],
];

function row(title, texts) {
  return element(
    'tr',
    {},
    element('th', { scope: 'row', textContent: title }),
    ...texts.map((text) => element('td', { textContent: text }))
  );
}

function keyNumbers({ facts, threads, all }) {
  const { captures } = facts;
  const parts = [plural(all[0] + all[1], 'sample', 'samples'), plural(threads.length, 'thread', 'threads')];
  if (captures.length > 1) {
    parts.unshift(plural(captures.length, 'capture', 'captures'));
  } else {
    const [{ duration_s: duration, mode, python }] = captures;
    parts.push((duration ?? null) === null ? 'duration unknown' : timeText(duration * 1e6));
    parts.push(
      (mode ?? null) === null ? 'mode unknown' : `${mode} mode`,
      (python ?? null) === null ? 'Python unknown' : `Python ${python}`
    );
  }
  return textOf(parts.join(' · '));
}

export function pageTitle(facts) {
  return textOf(facts.title ?? '') || 'Flame graph';
}

export function showFacts(data) {
  const { facts } = data;
  document.title = `${pageTitle(facts)} – flame graph`;
  byId('title').textContent = pageTitle(facts);
  byId('numbers').textContent = keyNumbers(data);
  byId('generator').textContent = textOf(facts.generator ?? '');
  byId('facts-rows').append(...ROWS.map(([title, text]) => row(title, facts.captures.map(text))));
  byId('facts-rows').append(
    row('Samples on this page', [`${countText(data.all[0] + data.all[1])} (what “all” stands for in percentages)`]),
    row('Chosen with', [facts.choice ? textOf(facts.choice) : 'nothing left out or changed'])
  );
  const warnings = Array.isArray(facts.warnings) ? facts.warnings : [];
  byId('warnings').hidden = warnings.length === 0;
  byId('warnings').append(...warnings.map((text) => element('p', { textContent: `Warning: ${textOf(text)}` })));
}

// "name (capture)": how threads are called on the page.
export function nameThreads({ facts, threads }) {
  const several = facts.captures.length > 1;
  const interpreters = new Set(threads.map(({ interpreter }) => interpreter)).size > 1;
  return threads.map(({ id, interpreter, capture, main }) => {
    const merged = facts.merged_threads === true;
    const parts = [merged ? 'all threads' : `thread ${cutText(visible(id), 100)}`];
    if (interpreters) {
      parts.push(`interpreter ${interpreter}`);
    }
    if (several) {
      const { name, base } = facts.captures[capture];
      parts.push(textOf(name) + (base ? ' (before)' : ''));
    }
    return parts.join(' · ') + (main && !merged ? ' · main' : '');
  });
}
