// The flame graph page in Chromium: what it shows against sums from the samples that it was made of, and that names do no
// harm. Run by run-browser.sh:
//
//     node browser.mjs MODULES CHROMIUM TEMPLATE OUTPUT [CONVERT CAPTURE...]
//
// MODULES is the folder with playwright-core, TEMPLATE the page without data. Screenshots and pages go to OUTPUT. With
// CONVERT, a binprof-convert that knows --flamegraph, the pages of real captures are checked too.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { visible, cutText } from '../../collectors/flamegraph/viewer/names.js';
import { encodeLarge, encodeProfile, makeHostileProfile, makePage, makeProfile, makeFacts } from './page_data.mjs';
import { SEPARATOR, chosen, functionSums, matching, pathTotals, sumSamples } from './naive.mjs';

const [modules, executablePath, templatePath, output, convert, ...captures] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
const template = readFileSync(templatePath, 'utf8');

const LARGE_NODES = 1000000;
const ABSURD_MS = 5000;
// Chromium's own start and a busy machine are in it.
const LOAD_ABSURD_MS = 60000;
const ROW_HEIGHT = 20;

let passed = 0;
let failed = 0;

async function check(name, action) {
  try {
    await action();
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}`);
    console.log(
      String(error.stack ?? error)
        .split('\n')
        .slice(0, 14)
        .join('\n')
        .slice(0, 3000)
        .replace(/^/gm, '    ')
    );
  }
}

// --- Pages -----------------------------------------------------------------------------------------------------------

let browser;

function writePage(name, base64) {
  const path = join(output, `${name}.html`);
  writeFileSync(path, makePage(template, base64));
  return path;
}

// Everything that a page must not do is collected and looked at when it is closed.
async function openPage(
  path,
  { hash = '', width = 1200, height = 900, colorScheme = 'light', deviceScaleFactor = 1 } = {}
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    deviceScaleFactor,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  const wrong = [];
  const url = pathToFileURL(path).href;
  page.on('console', (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  context.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(url) && !to.startsWith('data:,') && !to.startsWith('blob:')) {
      wrong.push(`request: ${to}`);
    }
  });
  await page.goto(url + hash);
  await settled(page);
  return { page, wrong, close: () => context.close() };
}

async function withPage(path, options, action) {
  const opened = await openPage(path, options);
  try {
    await action(opened.page);
    await settled(opened.page);
    assert.deepEqual(opened.wrong, []);
    assert.equal(await opened.page.evaluate(() => window.hacked), undefined);
  } finally {
    await opened.close();
  }
}

// What was changed is drawn in the next frame.
function settled(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
  );
}

// All rows: [name, file, self, total].
async function readTable(page) {
  return page.evaluate(() => {
    const more = document.getElementById('table-more');
    while (!more.hidden) {
      more.click();
    }
    const number = (cell) => Number(cell.textContent.replaceAll(',', ''));
    return [...document.querySelectorAll('#table tbody tr')].map(({ cells }) => [
      cells[4].textContent,
      cells[5].textContent,
      number(cells[0]),
      number(cells[2]),
    ]);
  });
}

function rowOfKey(key, self, total) {
  const [file, name] = key.split(SEPARATOR);
  return [cutText(visible(name) || '(no name)', 300), file === '~' ? '' : cutText(visible(file), 300), self, total];
}

function expectedTable(samples) {
  const { self, total } = functionSums(samples);
  return [...total].map(([key, count]) => rowOfKey(key, self.get(key) ?? 0, count));
}

function sorted(rows) {
  return rows.map((row) => row.join('\t')).sort();
}

// Of how many samples the table says that it is.
async function filteredSamples(page) {
  const caption = await page.textContent('#table-caption');
  return Number(/([\d,]+) samples? /.exec(caption.slice(caption.indexOf('Percentages')))[1].replaceAll(',', ''));
}

async function checkNumbers(page, samples) {
  assert.equal(await filteredSamples(page), sumSamples(samples));
  assert.deepEqual(sorted(await readTable(page)), sorted(expectedTable(samples)));
}

async function pathTexts(page) {
  return page.$$eval('#path button', (buttons) => buttons.map(({ textContent }) => textContent));
}

async function detailsText(page) {
  return page.textContent('#details');
}

function colourCount(page) {
  return page.evaluate(() => {
    // A copy, since reading the page's own canvas makes it slower.
    const { width, height } = document.getElementById('graph-canvas');
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    context.drawImage(document.getElementById('graph-canvas'), 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
}

function picture(page) {
  return page.evaluate(() => document.getElementById('graph-canvas').toDataURL());
}

// Clicks a row of the graph at a share of its width.
async function clickRow(page, row, share) {
  await page.locator('#graph').scrollIntoViewIfNeeded();
  const area = await page.locator('#graph').boundingBox();
  await page.mouse.click(area.x + 1 + share * (area.width - 2), area.y + 1 + row * ROW_HEIGHT + ROW_HEIGHT / 2);
  await settled(page);
}

async function choose(page, id, value) {
  await page.selectOption(`#${id}`, value);
  await settled(page);
}

async function searchFor(page, text) {
  await page.fill('#search', text);
  await page.press('#search', 'Enter');
  await settled(page);
}

const screenshots = [];

async function screenshot(page, name) {
  const path = join(output, `${name}.png`);
  await page.screenshot({ path, fullPage: true });
  screenshots.push(path);
}

// The paths of depth one: name and samples, the heaviest first.
function topFrames(samples, by = 'function') {
  return [...pathTotals(samples, by, (frames) => [frames.slice(0, 1)])].sort((a, b) => b[1] - a[1]);
}

function nameOfKey(path) {
  return path.split(SEPARATOR).at(1);
}

function percentOf(part, whole) {
  const percent = (100 * part) / whole;
  return `${percent.toFixed(percent < 9.995 ? 2 : 1)} %`;
}

// --- Checks ----------------------------------------------------------------------------------------------------------

const plain = makeProfile(1, { by: 'line' });

async function checkPlain() {
  const path = writePage('plain', encodeProfile(plain));
  const all = chosen(plain);
  const sum = sumSamples(all);

  await check('the page draws and shows the sums of its samples', () =>
    withPage(path, {}, async (page) => {
      assert.ok((await colourCount(page)) > 5);
      assert.match(await page.textContent('#numbers'), new RegExp(`^${sum.toLocaleString('en')} samples`));
      assert.match(await detailsText(page), new RegExp(`Total${sum.toLocaleString('en')} samples`));
      assert.match(await page.title(), /^test\.bin/);
      await checkNumbers(page, all);
      await screenshot(page, 'light');
    })
  );

  await check('zoom by click, path, reset', () =>
    withPage(path, {}, async (page) => {
      const [[top, count]] = topFrames(all);
      await clickRow(page, 1, 0.01);
      assert.deepEqual(await pathTexts(page), ['All samples', nameOfKey(top)]);
      assert.ok((await detailsText(page)).includes(`${count.toLocaleString('en')} samples`));
      assert.ok((await detailsText(page)).includes(`100.0 % of the view, ${percentOf(count, sum)} of the filtered`));
      await clickRow(page, 1, 0.01);
      assert.equal((await pathTexts(page)).length, 3);
      await page.click('#path li:nth-child(2) button');
      assert.equal((await pathTexts(page)).length, 2);
      await page.click('#reset');
      assert.deepEqual(await pathTexts(page), ['All samples']);
    })
  );

  await check('keyboard alone: move, zoom, table, search, keys', () =>
    withPage(path, {}, async (page) => {
      for (let i = 0; i < 40 && (await page.evaluate(() => document.activeElement.id)) !== 'graph'; i++) {
        await page.keyboard.press('Tab');
      }
      assert.equal(await page.evaluate(() => document.activeElement.id), 'graph');
      const [[top, count], [second]] = topFrames(all);
      await page.keyboard.press('ArrowDown');
      const spoken = await page.textContent('#spoken');
      assert.equal(spoken, `${nameOfKey(top)}: ${count.toLocaleString('en')} samples, ${percentOf(count, sum)}`);
      await page.keyboard.press('ArrowRight');
      assert.match(await page.textContent('#spoken'), new RegExp(`^${nameOfKey(second)}: `));
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      assert.deepEqual(await pathTexts(page), ['All samples', nameOfKey(top)]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      assert.equal((await pathTexts(page)).length, 3);
      await page.keyboard.press('Escape');
      assert.equal((await pathTexts(page)).length, 2);
      await page.keyboard.press('Home');
      assert.equal((await pathTexts(page)).length, 1);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('t');
      assert.equal(
        await page.evaluate(() => document.activeElement.closest('tr').cells[4].textContent),
        nameOfKey(top)
      );
      await page.keyboard.press('/');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
      await page.focus('#graph');
      await page.keyboard.press('?');
      assert.ok(await page.isVisible('#keys'));
      await page.keyboard.press('Escape');
      assert.ok(!(await page.isVisible('#keys')));
    })
  );

  await check('search: text, regular expression, one that is none', () =>
    withPage(path, {}, async (page) => {
      await searchFor(page, 'parse');
      const result = () => page.textContent('#search-result');
      const samples = matching(all, (name) => name.includes('parse'));
      const { total } = functionSums(all);
      const functions = [...total.keys()].filter((key) => key.includes('parse')).length;
      assert.equal(
        await result(),
        `${percentOf(samples, sum)} of the filtered samples: ${samples.toLocaleString('en')} samples with ${functions} functions that match`
      );
      assert.equal((await readTable(page)).length, functions);
      await screenshot(page, 'search');
      await page.check('#regex');
      await searchFor(page, '^load_All_\\d$');
      assert.ok(
        (await result()).includes(`${matching(all, (name) => /^load_All_\d$/.test(name)).toLocaleString('en')} samples`)
      );
      await searchFor(page, '(');
      assert.match(await result(), /^Not a regular expression: /);
      await searchFor(page, '');
      assert.equal(await result(), '');
      await checkNumbers(page, all);
    })
  );

  await check('filters: threads, statuses, GC, time', () =>
    withPage(path, {}, async (page) => {
      for (const [key, want] of [
        ['gil', 'only'],
        ['cpu', 'not'],
        ['waiting', 'only'],
        ['exception', 'not'],
        ['gc', 'only'],
        ['gc', 'not'],
      ]) {
        await choose(page, `status-${key}`, want);
        await checkNumbers(page, chosen(plain, { [key]: want }));
        await page.click('#clear-filters');
      }
      await page.click('#threads-summary');
      await page.click('#threads-none');
      assert.equal(await filteredSamples(page), 0);
      assert.ok(await page.isVisible('#graph-empty'));
      const boxes = await page.$$('#threads-list label');
      for (const box of boxes) {
        if (/thread 100[13]\b/.test(await box.textContent())) {
          await box.click();
        }
      }
      await checkNumbers(page, chosen(plain, { threads: [1, 3] }));
      await page.click('#threads-all');
      await page.click('h1');
      assert.ok(!(await page.isVisible('#threads-list')));
      await page.fill('#time-from', '10');
      await page.fill('#time-to', '19');
      await settled(page);
      await checkNumbers(page, chosen(plain, { time: [10, 19] }));
      await choose(page, 'status-gil', 'only');
      await checkNumbers(page, chosen(plain, { time: [10, 19], gil: 'only' }));
      await page.click('#clear-filters');
      const area = await page.locator('#timeline').boundingBox();
      await page.mouse.move(area.x + area.width * 0.205, area.y + 20);
      await page.mouse.down();
      await page.mouse.move(area.x + area.width * 0.405, area.y + 20, { steps: 4 });
      await page.mouse.up();
      await settled(page);
      await checkNumbers(page, chosen(plain, { time: [10, 20] }));
      await page.click('#time-clear');
      await checkNumbers(page, all);
    })
  );

  await check('inverted, and the root at the bottom', () =>
    withPage(path, {}, async (page) => {
      await choose(page, 'view', 'callers');
      const { self } = functionSums(all);
      const [key, count] = [...self].sort((a, b) => b[1] - a[1])[0];
      await clickRow(page, 1, 0.01);
      assert.deepEqual(await pathTexts(page), ['All samples', nameOfKey(` > ${key}`)]);
      assert.ok((await detailsText(page)).includes(`${count.toLocaleString('en')} samples`));
      await screenshot(page, 'inverted');
      await page.click('#reset');
      await choose(page, 'view', 'tree');
      await choose(page, 'root', 'bottom');
      const height = await page.locator('#graph').evaluate((graph) => graph.clientHeight);
      const rows = Math.floor(height / ROW_HEIGHT);
      const [[top]] = topFrames(all);
      const area = await page.locator('#graph').boundingBox();
      await page.mouse.click(area.x + 10, area.y + area.height - 1 - ROW_HEIGHT * 1.5);
      await settled(page);
      assert.ok(rows > 2);
      assert.deepEqual(await pathTexts(page), ['All samples', nameOfKey(top)]);
    })
  );

  await check('frames by line', () =>
    withPage(path, {}, async (page) => {
      await choose(page, 'by', 'line');
      const [[top, count]] = topFrames(all, 'line');
      await clickRow(page, 1, 0.01);
      const [, name, line] = top.split(SEPARATOR);
      assert.deepEqual(await pathTexts(page), ['All samples', `${name}:${line}`]);
      assert.ok((await detailsText(page)).includes(`${count.toLocaleString('en')} samples`));
      await checkNumbers(page, all);
      assert.deepEqual(await page.$$eval('#by option', (options) => options.map(({ value }) => value)), [
        'function',
        'line',
      ]);
    })
  );

  await check('callers and callees from the table, marks, copies', () =>
    withPage(path, {}, async (page) => {
      const [name] = (await readTable(page))[0];
      const { self, total } = functionSums(all);
      const key = [...self].sort((a, b) => b[1] - a[1])[0][0];
      const count = total.get(key).toLocaleString('en');
      for (const what of ['Callers', 'Callees']) {
        await page.click(`#table tbody tr:first-child button:text-is("${what}")`);
        await settled(page);
        assert.equal(await page.textContent('#unfocus'), `${what} of ${name} ✕`);
        await page.focus('#graph');
        await page.keyboard.press('ArrowDown');
        assert.match(await page.textContent('#spoken'), new RegExp(`^${name}: ${count} samples`));
        await page.click('#unfocus');
      }
      const before = await picture(page);
      await page.click('#table tbody tr:first-child th button');
      await settled(page);
      assert.notEqual(await picture(page), before);
      assert.match(await page.textContent('#spoken'), new RegExp(`^${name}: `));
      await page.click('#copy-name');
      await page.waitForFunction(() => document.getElementById('copied').textContent === 'Copied');
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), name);
      await page.click('#copy-stack');
      await page.waitForFunction(() => document.getElementById('copied').textContent === 'Copied');
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), new RegExp(`(^|\n)\\w+\\.py:${name}$`));
      await page.click('#unmark');
      await settled(page);
    })
  );

  await check('the table sorts by what is clicked', () =>
    withPage(path, {}, async (page) => {
      const column = (rows, i) => rows.map((row) => row[i]);
      await page.click('#table thead th:nth-child(3) button');
      const totals = column(await readTable(page), 3);
      assert.deepEqual(
        totals,
        totals.toSorted((a, b) => b - a)
      );
      assert.equal(await page.getAttribute('#table thead th:nth-child(3)', 'aria-sort'), 'descending');
      await page.click('#table thead th:nth-child(5) button');
      const names = column(await readTable(page), 0);
      assert.deepEqual(
        names,
        names.toSorted((a, b) => (a < b ? -1 : 1))
      );
      assert.equal(await page.getAttribute('#table thead th:nth-child(5)', 'aria-sort'), 'ascending');
    })
  );

  await check('light and dark, by the system and by the button', async () => {
    const back = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const brightness = (css) => Number(/\d+/.exec(css)[0]);
    await withPage(path, { colorScheme: 'dark' }, async (page) => {
      assert.ok(brightness(await back(page)) < 60);
      await screenshot(page, 'dark');
      await page.emulateMedia({ colorScheme: 'light' });
      await settled(page);
      assert.ok(brightness(await back(page)) > 200);
      await page.click('#theme');
      await page.click('#theme');
      assert.equal(await page.textContent('#theme'), 'Theme: dark');
      assert.ok(brightness(await back(page)) < 60);
    });
  });

  await check('360 pixels wide: nothing sticks out', () =>
    withPage(path, { width: 360, height: 740 }, async (page) => {
      await page.click('#facts summary');
      await page.click('#threads-summary');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${wide} pixels wide`);
      await page.click('h1');
      await clickRow(page, 1, 0.01);
      assert.equal((await pathTexts(page)).length, 2);
      await screenshot(page, 'narrow');
    })
  );

  await check('a changed size of the window is drawn', () =>
    withPage(path, {}, async (page) => {
      await page.setViewportSize({ width: 700, height: 800 });
      await settled(page);
      const sizes = await page.evaluate(() => [
        document.getElementById('graph-canvas').clientWidth,
        document.getElementById('graph').clientWidth,
      ]);
      assert.equal(sizes[0], sizes[1]);
      assert.ok((await colourCount(page)) > 5);
    })
  );

  await check('each pixel of a fine screen is drawn', () =>
    withPage(path, { deviceScaleFactor: 2 }, async (page) => {
      const ratios = await page.evaluate(() =>
        ['graph-canvas', 'timeline'].map((id) => {
          const canvas = document.getElementById(id);
          return canvas.width / canvas.clientWidth;
        })
      );
      assert.deepEqual(ratios, [2, 2]);
      await clickRow(page, 1, 0.01);
      assert.equal((await pathTexts(page)).length, 2);
    })
  );

  await check('the address brings the same view back', () =>
    withPage(path, {}, async (page) => {
      await choose(page, 'by', 'line');
      await choose(page, 'status-gil', 'only');
      await page.fill('#time-to', '30');
      await choose(page, 'root', 'bottom');
      await choose(page, 'order', 'name');
      await choose(page, 'colours', 'thread');
      await searchFor(page, 'walk');
      await page.focus('#graph');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.evaluate(() => document.activeElement.blur());
      await page.waitForFunction(() => window.location.hash.includes('zoom='));
      const address = new URL(page.url()).hash;
      const view = async (of) => [
        await readTable(of),
        await pathTexts(of),
        await of.textContent('#search-result'),
        await of.inputValue('#search'),
        await picture(of),
      ];
      const expected = await view(page);
      assert.equal(expected[1].length, 2);
      await withPage(path, { hash: address }, async (other) => {
        assert.deepEqual(await view(other), expected);
      });
    })
  );

  await check('an address that makes no sense shows the plain view', () =>
    withPage(path, { hash: '#zoom=99999.1&by=<img>&threads=x&time=9&search=%E0%A4%A&focus=1e9' }, async (page) => {
      assert.equal((await pathTexts(page)).length, 1);
      assert.equal(await filteredSamples(page), sum);
    })
  );

  await check('all colours and orders draw', () =>
    withPage(path, {}, async (page) => {
      for (const colours of ['thread', 'self', 'module']) {
        await choose(page, 'colours', colours);
        assert.ok((await colourCount(page)) > 4, colours);
        assert.ok((await page.textContent('#legend')).length > 5);
      }
      await choose(page, 'view', 'callers');
      await choose(page, 'colours', 'thread');
      assert.ok((await colourCount(page)) > 4);
    })
  );
}

async function checkBases() {
  await check('frames by instruction', () => {
    const profile = makeProfile(5, { by: 'instruction' });
    return withPage(writePage('instruction', encodeProfile(profile)), { hash: '#by=instruction' }, async (page) => {
      const totals = topFrames(chosen(profile), 'instruction');
      await clickRow(page, 1, 0.01);
      assert.ok((await detailsText(page)).includes(`${totals[0][1].toLocaleString('en')} samples`));
      await checkNumbers(page, chosen(profile));
    });
  });

  await check('a capture without samples', () =>
    withPage(
      writePage(
        'empty',
        encodeProfile({ facts: makeFacts({ bucket_count: 0 }), frames: [], threads: [], samples: [] })
      ),
      {},
      async (page) => {
        assert.ok(await page.isVisible('#graph-empty'));
        assert.equal((await readTable(page)).length, 0);
      }
    )
  );

  await check('a damaged page says so', async () => {
    const base64 = encodeProfile(plain);
    for (const damaged of [base64.slice(0, 4000), '', '!!!', base64.slice(0, -8)]) {
      await withPage(writePage('damaged', damaged), {}, async (page) => {
        assert.match(await page.textContent('#failure'), /^This page is damaged: /);
        assert.ok(await page.isVisible('#failure'));
        assert.ok(!(await page.isVisible('#page')));
      });
    }
  });

  await check('facts that are not known are told so', () => {
    const facts = makeFacts({
      captures: [{ duration_s: null, rate: null, failed_percent: null, mode: null, python: null, interval_us: 500 }],
      choice: '--thread main',
      warnings: ['captures of different modes'],
    });
    return withPage(writePage('unknown', encodeProfile({ ...plain, facts })), {}, async (page) => {
      await page.click('#facts summary');
      const text = await page.textContent('#facts');
      assert.equal(text.match(/unknown/g).length, 7);
      assert.ok(text.includes('--thread main'));
      assert.ok((await page.textContent('#warnings')).includes('captures of different modes'));
      assert.ok(await page.isVisible('#warnings'));
    });
  });

  await check('deep stacks scroll', () => {
    const frames = Array.from({ length: 400 }, (_, i) => ({ name: `f${i}`, file: 'deep.py', line: i + 1 }));
    const samples = [{ stack: frames.map((_, i) => i), count: 7 }];
    const profile = { facts: makeFacts(), frames, threads: [{ id: 1 }], samples };
    return withPage(writePage('deep', encodeProfile(profile)), {}, async (page) => {
      for (const view of ['tree', 'callers']) {
        await choose(page, 'view', view);
        for (let i = 0; i < 12; i++) {
          await page.locator('#graph').evaluate((graph) => graph.scrollTo(0, graph.scrollHeight));
          await settled(page);
        }
        const height = await page.locator('#graph').evaluate((graph) => graph.scrollHeight);
        assert.ok(Math.abs(height - 401 * ROW_HEIGHT) < ROW_HEIGHT, `${view}: ${height}`);
        assert.ok((await colourCount(page)) > 2);
      }
      await choose(page, 'root', 'bottom');
      await page.focus('#graph');
      for (let i = 0; i < 100; i++) {
        await page.keyboard.press('ArrowUp');
      }
      assert.match(await page.textContent('#spoken'), /^f300: 7 samples/);
    });
  });
}

async function checkDiff() {
  const profile = makeProfile(2, { diff: true });
  const path = writePage('diff', encodeProfile(profile));
  const sides = (filters) => [chosen(profile, filters, true), chosen(profile, filters, false)];

  async function checkChanges(page, filters) {
    const rows = await page.evaluate(() => {
      const more = document.getElementById('changes-more');
      while (!more.hidden) {
        more.click();
      }
      return [...document.querySelectorAll('#changes-table tbody tr')].map((row) =>
        [6, 7, 0, 1, 2, 3, 4, 5].map((i) => row.cells[i].textContent)
      );
    });
    const [base, now] = sides(filters);
    const [before, after] = [functionSums(base), functionSums(now)];
    const [baseSum, nowSum] = [sumSamples(base), sumSamples(now)];
    const expected = [...new Set([...before.total.keys(), ...after.total.keys()])].map((key) => {
      const numbers = ['self', 'total'].flatMap((what) => {
        const shares = [(before[what].get(key) ?? 0) / baseSum, (after[what].get(key) ?? 0) / nowSum];
        const points = 100 * (shares[1] - shares[0]);
        const change =
          Math.abs(points) < 0.005 ? '±0.00 pp' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(2)} pp`;
        return [percentOf(shares[0], 1), percentOf(shares[1], 1), change];
      });
      return [...rowOfKey(key).slice(0, 2), ...numbers];
    });
    assert.deepEqual(sorted(rows), sorted(expected));
  }

  await check('comparing: shares of both sides, with filters too', () =>
    withPage(path, {}, async (page) => {
      await checkChanges(page, {});
      await checkNumbers(page, sides({})[1]);
      const text = await detailsText(page);
      sides({}).forEach((samples) => assert.ok(text.includes(`${sumSamples(samples).toLocaleString('en')} samples`)));
      await screenshot(page, 'diff');
      await choose(page, 'status-gil', 'only');
      await checkChanges(page, { gil: 'only' });
      await searchFor(page, 'zzz');
      assert.match(await page.textContent('#search-result'), /^0\.00 %.*before: 0\.00 % \(0\)$/);
      await searchFor(page, '');
    })
  );

  await check('comparing: widths, and what only one side has', () =>
    withPage(path, {}, async (page) => {
      const pictures = new Set();
      for (const widths of ['both', 'before', 'after']) {
        await choose(page, 'widths', widths);
        pictures.add(await picture(page));
      }
      assert.equal(pictures.size, 3);
      await choose(page, 'widths', 'both');
      await page.click('#threads-summary');
      for (const box of await page.$$('#threads-list label')) {
        if (!(await box.textContent()).includes('before.bin')) {
          await box.click();
        }
      }
      assert.equal(await filteredSamples(page), 0);
      assert.ok((await colourCount(page)) > 2);
    })
  );
}

async function checkHostile() {
  const profile = makeHostileProfile();
  const path = writePage('hostile', encodeProfile(profile));
  const tags = (page) =>
    page.evaluate(() => [...new Set([...document.querySelectorAll('*')].map(({ tagName }) => tagName))].sort());
  let expectedTags;
  await withPage(join(output, 'plain.html'), {}, async (page) => {
    expectedTags = await tags(page);
  });

  await check('hostile names are text', () =>
    withPage(path, {}, async (page) => {
      await checkNumbers(page, chosen(profile));
      await page.click('#facts summary');
      await page.click('#threads-summary');
      await page.focus('#graph');
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press(i % 3 === 0 ? 'Enter' : 'ArrowRight');
      }
      for (const view of ['callers', 'tree']) {
        await choose(page, 'view', view);
        await clickRow(page, 2, 0.2);
      }
      await searchFor(page, '<img src=x onerror=');
      await choose(page, 'colours', 'thread');
      await page.click('#table tbody tr:first-child th button');
      await page.click('#table tbody tr:first-child .actions button');
      await settled(page);
      assert.deepEqual(
        (await tags(page)).filter((tag) => !expectedTags.includes(tag)),
        ['P'].filter((tag) => !expectedTags.includes(tag))
      );
      assert.equal(await page.locator('script').count(), 2);
      const attributes = await page.evaluate(() =>
        [...document.querySelectorAll('*')]
          .flatMap((item) => item.getAttributeNames())
          .filter((name) => name.startsWith('on'))
      );
      assert.deepEqual(attributes, []);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1200);
      await screenshot(page, 'hostile');
    })
  );

  await check('the policy lets no other script run and nothing load', async () => {
    // A server that would notice.
    let asked = 0;
    const server = createServer((request, response) => {
      asked++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { page, wrong, close } = await openPage(path);
    await page.evaluate(async (address) => {
      for (const [tag, name, value] of [
        ['script', 'textContent', 'window.hacked = 6'],
        ['img', 'src', `${address}image.png`],
        ['iframe', 'src', `${address}frame.html`],
      ]) {
        const made = document.createElement(tag);
        made[name] = value;
        document.body.append(made);
      }
      await fetch(address).catch(() => {});
    }, `http://127.0.0.1:${server.address().port}/`);
    await settled(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.ok(wrong.filter((text) => text.includes('Content Security Policy')).length >= 4);
    assert.equal(asked, 0);
    await close();
    server.close();
  });

  await check('hostile names on a narrow page', () =>
    withPage(path, { width: 360 }, async (page) => {
      await page.click('#facts summary');
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    })
  );

  for (const [name, file] of [
    ['hostile', path],
    ['plain', join(output, 'plain.html')],
    ['diff', join(output, 'diff.html')],
  ]) {
    await check(`the SVG of ${name} is XML of text and rectangles`, () =>
      withPage(file, {}, async (page) => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
        const svgPath = join(output, `${name}.svg`);
        await download.saveAs(svgPath);
        const found = await page.evaluate(
          (text) => {
            const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
            const all = [...parsed.querySelectorAll('*')];
            return {
              tags: [...new Set(all.map(({ tagName }) => tagName))].sort(),
              attributes: [...new Set(all.flatMap((item) => item.getAttributeNames()))].sort(),
              rects: all.filter(({ tagName }) => tagName === 'rect').length,
            };
          },
          readFileSync(svgPath, 'utf8')
        );
        assert.deepEqual(found.tags, ['g', 'rect', 'svg', 'text', 'title']);
        assert.deepEqual(
          found.attributes.filter((attribute) => /^on|href|style/.test(attribute)),
          []
        );
        assert.ok(found.rects > 20);
        await withPage(svgPath, {}, async () => {});
      })
    );
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

async function checkLarge() {
  const { base64, nodes, cells } = encodeLarge(LARGE_NODES);
  const path = writePage('large', base64);
  const timings = [];
  const timed = (name, ms, absurd = ABSURD_MS) => {
    timings.push(`${name} ${ms.toFixed(0)} ms`);
    assert.ok(ms < absurd, `${name}: ${ms} ms`);
  };
  const until = (page, action, value) =>
    page.evaluate(
      async ([source, argument]) => {
        const start = performance.now();
        const act = {
          key: (key) => document.getElementById('graph').dispatchEvent(new KeyboardEvent('keydown', { key })),
          hover: ([x, y]) => {
            const box = document.getElementById('graph');
            const area = box.getBoundingClientRect();
            box.dispatchEvent(
              new PointerEvent('pointermove', {
                clientX: area.left + x * area.width,
                clientY: area.top + y * area.height,
              })
            );
          },
          choose: ([id, chosenValue]) => {
            document.getElementById(id).value = chosenValue;
            document.getElementById(id).dispatchEvent(new Event('change'));
          },
          search: (text) => {
            const search = document.getElementById('search');
            search.value = text;
            search.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
          },
        };
        act[source](argument);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - start;
      },
      [action, value]
    );

  await check(`${LARGE_NODES.toLocaleString('en')} nodes`, async () => {
    const start = performance.now();
    await withPage(path, {}, async (page) => {
      timed('load', performance.now() - start, LOAD_ABSURD_MS);
      assert.ok((await colourCount(page)) > 5);
      assert.equal(
        await filteredSamples(page),
        cells.reduce((sum, { count }) => sum + count, 0)
      );
      assert.equal(nodes.length, LARGE_NODES);
      const zooms = [];
      for (let i = 0; i < 8; i++) {
        await until(page, 'key', 'ArrowDown');
        zooms.push(await until(page, 'key', 'Enter'));
      }
      for (let i = 0; i < 8; i++) {
        zooms.push(await until(page, 'key', 'Escape'));
      }
      timed('zoom', median(zooms));
      const hovers = [];
      for (let i = 0; i < 20; i++) {
        hovers.push(await until(page, 'hover', [(i * 0.37) % 1, (i * 0.61) % 1]));
      }
      timed('hover', median(hovers));
      timed('search', await until(page, 'search', 'function_12'), LOAD_ABSURD_MS);
      await until(page, 'search', '');
      timed('filter', await until(page, 'choose', ['status-gil', 'only']), LOAD_ABSURD_MS);
      timed('colours by thread', await until(page, 'choose', ['colours', 'thread']), LOAD_ABSURD_MS);
      timed('inverted', await until(page, 'choose', ['view', 'callers']), LOAD_ABSURD_MS);
    });
  });
  console.log(`${LARGE_NODES.toLocaleString('en')} nodes: ${timings.join(', ')}`);
}

// --- Real captures ---------------------------------------------------------------------------------------------------

// What collapsed stacks print for a name that the page shows with escapes.
function collapsedName(text) {
  return text.replace(/\\u00[0-9a-f]{2}/g, ' ').replaceAll(';', ':');
}

// Collapsed stacks name functions by base name and function, so several functions of the page can be one of them.
function collapsedSums(text) {
  const self = new Map();
  const total = new Map();
  let sum = 0;
  const add = (map, key, count) => map.set(key, (map.get(key) ?? 0) + count);
  for (const line of text.split('\n').filter((row) => row !== '')) {
    const space = line.lastIndexOf(' ');
    const count = Number(line.slice(space + 1));
    const keys = line
      .slice(0, space)
      .split(';')
      .slice(1)
      .map((frame) => frame.replace(/:-?\d+$/, ''));
    sum += count;
    if (keys.length > 0) {
      add(self, keys.at(-1), count);
    }
    new Set(keys).forEach((key) => add(total, key, count));
  }
  return { self, total, sum };
}

async function checkCapture(capture) {
  const path = join(output, `${basename(capture, '.bin')}.html`);
  const run = (...args) => execFileSync(convert, ['--quiet', ...args], { maxBuffer: 1 << 30 });
  run('--flamegraph', '-o', path, capture);
  const expected = collapsedSums(run('--collapsed', '-o', '-', capture).toString('utf8'));
  await withPage(path, {}, async (page) => {
    assert.equal(await page.textContent('#failure'), '');
    const rows = (await readTable(page)).map(([name, file, self, total]) => [
      collapsedName(file === '' ? name : `${file.slice(file.lastIndexOf('/') + 1)}:${name}`),
      self,
      total,
    ]);
    const keys = new Set(rows.map(([key]) => key));
    assert.deepEqual([...keys].sort(), [...expected.total.keys()].sort());
    for (const key of keys) {
      const own = rows.filter((row) => row[0] === key);
      assert.equal(
        own.reduce((sum, row) => sum + row[1], 0),
        expected.self.get(key) ?? 0,
        `self of ${key}`
      );
      if (own.length === 1) {
        assert.equal(own[0][2], expected.total.get(key), `total of ${key}`);
      }
    }
    // Samples without frames are not in collapsed stacks.
    assert.ok((await filteredSamples(page)) >= expected.sum);
    await choose(page, 'view', 'callers');
    await choose(page, 'view', 'tree');
    if (basename(capture) === 'wall-all.bin') {
      await screenshot(page, 'wall-all');
    }
  });
}

async function main() {
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  await checkPlain();
  await checkBases();
  await checkDiff();
  await checkHostile();
  await checkLarge();
  for (const capture of captures) {
    await check(`the page of ${basename(capture)}`, () => checkCapture(capture));
  }
  await browser.close();
  screenshots.forEach((path) => console.log(`screenshot: ${path}`));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
