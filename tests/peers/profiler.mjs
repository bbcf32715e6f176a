// The Firefox Profiler's view of a Gecko file against sums made from the samples of the capture.
//
//     node profiler.mjs [--gaps] CLIENT GECKO SAMPLES FRAMES STRINGS
//
// CLIENT is profiler-cli.js; GECKO is what binprof-convert wrote; SAMPLES, FRAMES and STRINGS are what binprof-dump says
// of the same capture. --gaps: the capture's mode leaves gaps, which the file may fill with rows without a stack.
// PROFILER_CLI_SESSION_DIR names a folder for the client's daemon; its path has to be short.
// Prints every difference; exit status 1 if there is any.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_REPORTED = 8;
const STATUS = { hasGil: 1, gilRequested: 8, exception: 16, main: 32 };

// The client shows call trees down to this depth, and so many children of a node.
const CLIENT_DEPTH = 200;
const CLIENT_CHILDREN = 100;

const SESSION = 'binprof';
const LOAD_TIMEOUT_MS = 120000;

// Above this, only the number of markers is compared.
const MAX_LISTED_MARKERS = 20000;

// Start times are compared in ms; the profiler adds them up as doubles.
const TIME_TOLERANCE = 1e-4;

// --- What the capture says -------------------------------------------------------------------------------------------

// Ids and times can be beyond 2^53, so every long number becomes a BigInt.
function parseLine(line) {
  if (!/\d{16}/.test(line)) {
    return JSON.parse(line);
  }
  return JSON.parse(line, (key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context.source) : value
  );
}

async function* jsonLines(path) {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    yield parseLine(line);
  }
}

async function readAll(path) {
  const entries = [];
  for await (const entry of jsonLines(path)) {
    entries.push(entry);
  }
  return entries;
}

// Frames of the profiler itself, which the Gecko output leaves out.
function isInternal(filename) {
  return filename.endsWith('_sync_coordinator.py');
}

// A function is its name in its file. Each frame index gives one, null if it is left out.
async function readFunctions(framesPath, stringsPath) {
  const strings = (await readAll(stringsPath)).map((entry) => entry.text);
  const functions = new Map();
  return (await readAll(framesPath)).map((frame) => {
    const filename = strings[frame.filename_index];
    const name = strings[frame.function_index];
    if (isInternal(filename)) {
      return null;
    }
    const key = `${frame.filename_index} ${frame.function_index}`;
    if (!functions.has(key)) {
      functions.set(key, { name, isGc: filename === '~' && name === '<GC>' });
    }
    return functions.get(key);
  });
}

function increment(map, key, by = 1) {
  map.set(key, (map.get(key) ?? 0) + by);
}

// A node of the call tree: how many samples are in it or below (total), how many have it innermost (self).
class CallNode {
  total = 0;
  self = 0;
  children = new Map();

  child(fn) {
    let node = this.children.get(fn);
    if (node === undefined) {
      node = new CallNode();
      this.children.set(fn, node);
    }
    return node;
  }
}

// The intervals in which a thread was in one state.
class Intervals {
  starts = [];
  #open = false;

  see(isIn, time) {
    if (isIn && !this.#open) {
      this.starts.push(time);
    }
    this.#open = isIn;
  }
}

class Thread {
  tid;
  interpreter;
  isMain = false;
  rows = 0;
  withFrames = 0;
  root = new CallNode();
  self = new Map();
  total = new Map();
  waiting = 0; // samples that wait for the GIL, outside of a collection
  time = 0n;
  markers = {
    'Has GIL': new Intervals(),
    'Waiting for GIL': new Intervals(),
    'Handling exception': new Intervals(),
    GC: new Intervals(),
  };

  constructor(sample) {
    this.tid = sample.thread_id;
    this.interpreter = sample.interpreter_id;
  }

  add(status, time, stack) {
    this.rows++;
    this.isMain ||= (status & STATUS.main) !== 0;
    this.#mark(status, time, stack);
    if (stack.length === 0) {
      return;
    }
    this.withFrames++;
    const leaf = stack[0];
    increment(this.self, leaf);
    for (const fn of new Set(stack)) {
      increment(this.total, fn);
    }
    let node = this.root;
    node.total++;
    for (let i = stack.length - 1; i >= 0; i--) {
      node = node.child(stack[i]);
      node.total++;
    }
    node.self++;
    const waits = (status & STATUS.gilRequested) !== 0 && (status & STATUS.hasGil) === 0;
    this.waiting += waits && !leaf.isGc;
  }

  #mark(status, time, stack) {
    // Time that runs backwards stands still in the profiler.
    this.time = BigInt(time) > this.time ? BigInt(time) : this.time;
    const hasGil = (status & STATUS.hasGil) !== 0;
    this.markers['Has GIL'].see(hasGil, this.time);
    this.markers['Waiting for GIL'].see(!hasGil && (status & STATUS.gilRequested) !== 0, this.time);
    this.markers['Handling exception'].see((status & STATUS.exception) !== 0, this.time);
    this.markers.GC.see(stack.some((fn) => fn.isGc), this.time);
  }
}

async function readThreads(samplesPath, functions) {
  const threads = new Map();
  for await (const sample of jsonLines(samplesPath)) {
    const key = `${sample.thread_id} ${sample.interpreter_id}`;
    if (!threads.has(key)) {
      threads.set(key, new Thread(sample));
    }
    const stack = sample.frames.map((index) => functions[index]).filter((fn) => fn !== null);
    threads.get(key).add(sample.status, sample.timestamp_us, stack);
  }
  return [...threads.values()];
}

// --- What the profiler says ------------------------------------------------------------------------------------------

// The client asks a daemon that holds the profile. Its own `load` gives the daemon half a second to start, which is not
// enough on a busy machine; so the daemon is started here, as the client's messages tell to do by hand.
class Profiler {
  #client;
  #daemon;
  #run = promisify(execFile);

  constructor(client, profile) {
    this.#client = client;
    this.#daemon = spawn(process.execPath, [client, '--daemon', profile, '--session', SESSION], { stdio: 'ignore' });
  }

  async ask(...args) {
    const all = [this.#client, ...args, '--session', SESSION, '--json'];
    return JSON.parse((await this.#run(process.execPath, all, { maxBuffer: 2 ** 30 })).stdout);
  }

  // Waits until the profile is loaded. A client that asks while the daemon is not yet listening removes the session's
  // files from under it; hence the look at the file by which the daemon says that it is.
  async loaded() {
    const deadline = Date.now() + LOAD_TIMEOUT_MS;
    const isFinal = () => this.#daemon.exitCode !== null || Date.now() > deadline;
    while (!(await this.#isListening())) {
      if (isFinal()) {
        throw new Error('the client\'s daemon does not start');
      }
      await sleep(20);
    }
    for (;;) {
      try {
        await this.ask('status');
        return;
      } catch (error) {
        if (isFinal() || /load failed/.test(error.stderr)) {
          throw error;
        }
        await sleep(100);
      }
    }
  }

  async #isListening() {
    try {
      JSON.parse(await readFile(`${process.env.PROFILER_CLI_SESSION_DIR}/${SESSION}.json`, 'utf8'));
      return true;
    } catch {
      return false;
    }
  }

  // The next daemon uses the same session, so this one must have left it.
  async close() {
    if (this.#daemon.exitCode === null && this.#daemon.kill()) {
      await once(this.#daemon, 'exit');
    }
  }

  async threads() {
    return (await this.ask('thread', 'list', '--sort', 'index', '--limit', '0')).threads;
  }

  async thread(handle) {
    const ask = (...args) => this.ask('thread', ...args, '--thread', handle);
    const [info, functions, tree, samples, markers] = await Promise.all([
      ask('info'),
      ask('functions', '--include-idle', '--limit', '0'),
      ask('samples-top-down', '--include-idle', '--max-lines', '10000000'),
      ask('samples', '--include-idle'),
      ask('markers', '--limit', '0'),
    ]);
    // Listing takes the client minutes where there are very many.
    if (info.markerCount <= MAX_LISTED_MARKERS) {
      markers.flatMarkers = (await ask('markers', '--list', '--limit', '0')).flatMarkers;
    }
    return { info, functions, tree, samples, markers };
  }
}

// --- Side by side ----------------------------------------------------------------------------------------------------

let differences = 0;

function differ(message) {
  if (++differences <= MAX_REPORTED) {
    console.log(message);
  }
}

function expectEqual(what, got, expected) {
  if (!isDeepStrictEqual(got, expected)) {
    const show = (value) => JSON.stringify(value).slice(0, 200);
    differ(`${what}: the profiler has ${show(got)}, the capture ${show(expected)}`);
  }
}

// Says which lines only one of two multisets has.
function expectSameLines(what, got, expected) {
  for (const [line, count] of got) {
    if (count > (expected.get(line) ?? 0)) {
      differ(`${what}: only the profiler has ${line}`);
    }
  }
  for (const [line, count] of expected) {
    if (count > (got.get(line) ?? 0)) {
      differ(`${what}: only the capture has ${line}`);
    }
  }
}

function threadTitle(thread, manyInterpreters) {
  const interpreter = manyInterpreters ? ` (interpreter ${thread.interpreter})` : '';
  return (thread.isMain ? 'MainThread' : `Thread ${thread.tid}`) + interpreter;
}

// Main threads first, the rest in order of appearance; threads that never had a frame are left out.
function visibleThreads(threads) {
  const visible = threads.filter((thread) => thread.withFrames > 0);
  return [...visible.filter((thread) => thread.isMain), ...visible.filter((thread) => !thread.isMain)];
}

function functionLine(name, self, total) {
  return `${JSON.stringify(name.slice(0, 80))} with self ${self} and total ${total}`;
}

function compareFunctions(name, got, thread) {
  const theirs = new Map();
  for (const fn of got.functions) {
    increment(theirs, functionLine(fn.name, fn.selfSamples, fn.totalSamples));
  }
  const ours = new Map();
  for (const [fn, total] of thread.total) {
    increment(ours, functionLine(fn.name, thread.self.get(fn) ?? 0, total));
  }
  expectSameLines(`${name}, functions`, theirs, ours);
}

// Call trees become multisets of lines: the path (functions of one name are told apart by their numbers only), self, total.
// Paths are numbered, since they are long in deep trees.
class Paths {
  #numbers = new Map();

  of(parent, name) {
    const key = `${parent} ${name}`;
    if (!this.#numbers.has(key)) {
      this.#numbers.set(key, this.#numbers.size + 1);
    }
    return this.#numbers.get(key);
  }
}

function treeLine(path, depth, name, self, total) {
  return `path ${path}, depth ${depth}: ${functionLine(name, self, total)}`;
}

function profilerTreeLines(root, paths) {
  const lines = new Map();
  let cut = 0; // nodes not shown, save those below the greatest depth
  const pending = root.children.map((node) => [node, 0, 0]);
  cut += root.childrenTruncated?.count ?? 0;
  while (pending.length > 0) {
    const [node, parent, depth] = pending.pop();
    const path = paths.of(parent, node.name);
    increment(lines, treeLine(path, depth, node.name, node.selfSamples, node.totalSamples));
    pending.push(...node.children.map((child) => [child, path, depth + 1]));
    if (depth < CLIENT_DEPTH) {
      cut += node.childrenTruncated?.count ?? 0;
    }
  }
  return { lines, cut };
}

function captureTreeLines(root, paths) {
  const lines = new Map();
  let wide = 0; // children that the client does not show
  const pending = [[root, 0, -1]];
  while (pending.length > 0) {
    const [node, path, depth] = pending.pop();
    if (depth >= CLIENT_DEPTH) {
      continue;
    }
    wide += Math.max(0, node.children.size - CLIENT_CHILDREN);
    for (const [fn, child] of node.children) {
      const childPath = paths.of(path, fn.name);
      increment(lines, treeLine(childPath, depth + 1, fn.name, child.self, child.total));
      pending.push([child, childPath, depth + 1]);
    }
  }
  return { lines, wide };
}

function compareTrees(name, got, thread) {
  const paths = new Paths();
  const theirs = profilerTreeLines(got.regularCallTree, paths);
  const ours = captureTreeLines(thread.root, paths);
  expectEqual(`${name}, samples in the call tree`, got.regularCallTree.totalSamples, thread.withFrames);
  if (ours.wide === 0) {
    expectEqual(`${name}, nodes that the call tree leaves out`, theirs.cut, 0);
    expectSameLines(`${name}, call tree`, theirs.lines, ours.lines);
  } else {
    for (const line of theirs.lines.keys()) {
      if (!ours.lines.has(line)) {
        differ(`${name}, call tree: only the profiler has ${line}`);
      }
    }
  }
}

function compareCategories(name, got, thread) {
  const categories = new Map(got.categoryBreakdown.categories.map((entry) => [entry.name, entry.samples]));
  expectEqual(`${name}, samples waiting for the GIL`, categories.get('Waiting for GIL') ?? 0, thread.waiting);
}

function compareMarkers(name, got, thread) {
  const counts = new Map(got.byType.map((type) => [type.markerName, type.count]));
  for (const [markerName, { starts }] of Object.entries(thread.markers)) {
    expectEqual(`${name}, markers "${markerName}"`, counts.get(markerName) ?? 0, starts.length);
  }
  if (got.flatMarkers !== undefined) {
    compareMarkerStarts(name, got.flatMarkers, thread);
  }
}

// Times count from the capture's start in one place and from the start of the machine's clock in the other: what is
// compared is the distance from a thread's first marker of any kind.
function compareMarkerStarts(name, flatMarkers, thread) {
  const theirs = new Map(Object.keys(thread.markers).map((markerName) => [markerName, []]));
  for (const marker of flatMarkers) {
    theirs.get(marker.name)?.push(marker.start);
  }
  const theirFirst = [...theirs.values()].flat().reduce((least, start) => Math.min(least, start), Infinity);
  const ours = Object.values(thread.markers).flatMap(({ starts }) => starts);
  const ourFirst = ours.reduce((least, start) => (start < least ? start : least), ours[0]);
  for (const [markerName, { starts }] of Object.entries(thread.markers)) {
    const got = theirs.get(markerName).sort((a, b) => a - b);
    for (let i = 0; i < Math.min(got.length, starts.length); i++) {
      const expected = Number(starts[i] - ourFirst) / 1000;
      if (!(Math.abs(got[i] - theirFirst - expected) <= TIME_TOLERANCE)) {
        differ(`${name}, marker ${i} "${markerName}": after ${got[i] - theirFirst} ms, not ${expected}`);
      }
    }
  }
}

function compareThread(name, got, thread, mayHaveGaps) {
  if (mayHaveGaps) {
    // Rows without a stack are in pairs, one at each end of a gap; a gap also ends the markers, so they are left out.
    const extra = got.info.sampleCount - thread.rows;
    if (extra < 0 || extra % 2 !== 0) {
      differ(`${name}: the profiler has ${got.info.sampleCount} samples for ${thread.rows}`);
    }
  } else {
    expectEqual(`${name}, samples`, got.info.sampleCount, thread.rows);
    compareMarkers(name, got.markers, thread);
  }
  compareFunctions(name, got.functions, thread);
  compareTrees(name, got.tree, thread);
  compareCategories(name, got.samples, thread);
}

async function compareProfile(profiler, threads, mayHaveGaps) {
  const listed = await profiler.threads();
  const visible = visibleThreads(threads);
  const manyInterpreters = new Set(threads.map((thread) => thread.interpreter)).size > 1;
  expectEqual(
    'threads',
    listed.map((thread) => `${thread.name}, tid ${thread.tid}`),
    visible.map((thread) => `${threadTitle(thread, manyInterpreters)}, tid ${thread.tid}`)
  );
  for (const [i, thread] of visible.slice(0, listed.length).entries()) {
    compareThread(listed[i].name, await profiler.thread(listed[i].threadHandle), thread, mayHaveGaps);
  }
}

async function main(args) {
  const mayHaveGaps = args[0] === '--gaps';
  const [client, gecko, samples, frames, strings] = mayHaveGaps ? args.slice(1) : args;
  const threads = await readThreads(samples, await readFunctions(frames, strings));
  const profiler = new Profiler(client, gecko);
  try {
    await profiler.loaded();
    await compareProfile(profiler, threads, mayHaveGaps);
  } catch (error) {
    differ(error.stderr || error.stack);
  } finally {
    await profiler.close();
  }
  if (differences > 0) {
    console.log(`${differences} differences`);
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
