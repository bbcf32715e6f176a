// Makes pages for tests: the data format of collectors/flamegraph/README.md, written from samples.
//
// A profile here is { facts, frames, samples }. Frames are { name, file, module, line, detail }; a sample is
// { stack: numbers of frames, root first, thread, status, bucket, count }. The threads are in `threads`.

const NO_DETAIL = 0;

class Bytes {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.length = 0;
  }

  push(byte) {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(this.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = byte;
  }

  number(value) {
    let rest = value;
    while (rest >= 128) {
      this.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.push(rest);
  }

  signed(value) {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value) {
    const encoded = Buffer.from(value, 'utf8');
    this.number(encoded.length);
    for (const byte of encoded) {
      this.push(byte);
    }
  }

  list(items, write) {
    this.number(items.length);
    items.forEach(write);
  }

  base64() {
    return Buffer.from(this.bytes.buffer, 0, this.length).toString('base64');
  }
}

// Numbers things by their keys, in the order in which they are first seen.
class Numbering {
  constructor() {
    this.numbers = new Map();
    this.items = [];
  }

  of(key, item) {
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.items.length;
      this.numbers.set(key, number);
      this.items.push(item);
    }
    return number;
  }
}

export function makeFacts(changes = {}) {
  const { captures = [{}], ...rest } = changes;
  return {
    title: 'test.bin',
    generator: 'binprof test',
    by: 'line',
    choice: null,
    bucket_us: 20000,
    bucket_count: 50,
    warnings: [],
    captures: captures.map((capture) => ({
      name: 'test.bin',
      base: false,
      interval_us: 1000,
      samples: 0,
      duration_s: 1,
      rate: 1000,
      failed_percent: 0.1,
      missed_percent: null,
      mode: 'wall',
      features: null,
      python: '3.15.2',
      ...capture,
    })),
    ...rest,
  };
}

function numberFrames(frames, strings) {
  const functions = new Numbering();
  const string = (text) => strings.of(text, text);
  const rows = frames.map(({ name, file, module = file, line = 0, detail = null }) => {
    const row = [string(name), string(file), string(module)];
    const func = functions.of(row.join(), row);
    return [func, line, detail === null ? NO_DETAIL : string(detail) + 1];
  });
  return { functions: functions.items, frames: rows };
}

// The prefix tree: arrays of parents and frames, node 0 is the root.
function buildNodes(samples) {
  const nodes = new Numbering();
  nodes.of('root', [0, 0]);
  const ends = samples.map(({ stack }) =>
    stack.reduce((parent, frame) => nodes.of(`${parent} ${frame}`, [parent, frame]), 0)
  );
  return { nodes: nodes.items, ends };
}

function buildCells(samples, ends) {
  const kinds = new Numbering();
  const cells = new Map();
  samples.forEach(({ thread = 0, status = 3, bucket = 0, count = 1 }, i) => {
    const kind = kinds.of(`${thread} ${status}`, [thread, status]);
    const key = `${ends[i]} ${kind} ${bucket}`;
    const cell = cells.get(key) ?? { node: ends[i], kind, bucket, count: 0 };
    cell.count += count;
    cells.set(key, cell);
  });
  return { kinds: kinds.items, cells: [...cells.values()].sort((a, b) => a.node - b.node) };
}

// The stream of bytes, of parts that are numbered already.
export function writeStream({ facts, strings, functions, frames, nodes, threads, kinds, cells }) {
  const out = new Bytes();
  out.text('binprof-page 1');
  out.text(JSON.stringify(facts));
  out.list(strings, (text) => out.text(text));
  out.list(functions, (row) => row.forEach((number) => out.number(number)));
  out.list(frames, ([func, line, detail]) => {
    out.number(func);
    out.signed(line);
    out.number(detail);
  });
  out.number(nodes.length);
  for (let i = 1; i < nodes.length; i++) {
    out.number(i - nodes[i][0]);
    out.number(nodes[i][1]);
  }
  out.list(threads, ({ id, interpreter = 0, capture = 0 }) => {
    out.text(String(id));
    out.number(interpreter);
    out.number(capture);
  });
  out.list(kinds, (row) => row.forEach((number) => out.number(number)));
  let last = 0;
  out.list(cells, ({ node, kind, bucket, count }) => {
    out.number(node - last);
    out.number(kind);
    out.number(bucket);
    out.number(count);
    last = node;
  });
  return out.base64();
}

export function encodeProfile({ facts, frames, threads, samples }) {
  const strings = new Numbering();
  const numbered = numberFrames(frames, strings);
  const { nodes, ends } = buildNodes(samples);
  const { kinds, cells } = buildCells(samples, ends);
  return writeStream({ facts, strings: strings.items, ...numbered, nodes, threads, kinds, cells });
}

// The page of some data; the template is what cmake/viewer.cmake writes as HTML.
export function makePage(template, base64) {
  return template.replace('@DATA@', () => base64);
}

// --- Profiles --------------------------------------------------------------------------------------------------------

// Numbers that look random and are the same every time.
export function makeRandom(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

export const STATUS = { gil: 1, cpu: 2, cpuUnknown: 4, waiting: 8, exception: 16, main: 32 };

const FILES = ['app/main.py', 'app/views.py', 'lib/json/encoder.py', 'lib/re.py', 'lib/threading.py'];

// Functions of a few files; the last two frames are <GC> and <native>.
function makeFrames(by) {
  const frames = [];
  const lines = by === 'function' ? [0] : [1, 2, 3];
  for (let f = 0; f < 24; f++) {
    const file = FILES[f % FILES.length];
    const name = `${['parse', 'Handler.run', 'encode', 'load_All', 'walk'][f % 5]}_${f}`;
    const module = file.replace(/\.py$/, '').replaceAll('/', '.');
    for (const line of lines) {
      const detail = by === 'instruction' && line > 1 ? `CALL ${line}` : null;
      // By instruction, two frames are of one line.
      frames.push({
        name,
        file,
        module,
        line: line === 0 ? 0 : 10 * f + Math.min(line, by === 'instruction' ? 2 : 3),
        detail,
      });
    }
  }
  frames.push({ name: '<GC>', file: '~', module: '', line: 0 }, { name: '<native>', file: '~', module: '', line: 0 });
  return frames;
}

// Five threads, one of another interpreter; with a base, two of its own with the same ids.
function makeThreads(diff) {
  const threads = Array.from({ length: 5 }, (_, i) => ({ id: 1000 + i, interpreter: i === 4 ? 1 : 0, capture: 0 }));
  return diff ? [...threads, { id: 1000, capture: 1 }, { id: 1001, capture: 1 }] : threads;
}

function makeSample(random, gc, threadCount) {
  const depth = random(12);
  const stack = [];
  for (let d = 0; d < depth; d++) {
    // Near frames of the one above, so that paths meet again; sometimes the same again, for recursion.
    stack.push((random(3) + (d === 0 ? 0 : stack[d - 1] + random(4) * 3)) % gc);
  }
  if (random(8) === 0) {
    stack.push(gc + random(2));
  }
  const thread = random(threadCount);
  const status = [0, 1, 3, 2, 8, 19, 1 | 4, 4][random(8)] | (thread === 0 ? STATUS.main : 0);
  return { stack, thread, status, bucket: random(50), count: 1 + random(5) };
}

// A profile with everything that filters tell apart: threads, statuses, GC, times, recursion, lines and instructions.
export function makeProfile(seed, { by = 'line', diff = false, samples: count = 3000 } = {}) {
  const random = makeRandom(seed);
  const frames = makeFrames(by);
  const threads = makeThreads(diff);
  const samples = Array.from({ length: count }, () => makeSample(random, frames.length - 2, threads.length));
  const captures = diff
    ? [{ name: 'after.bin' }, { name: 'before.bin', base: true }]
    : [{ name: 'test.bin', samples: samples.reduce((sum, sample) => sum + sample.count, 0) }];
  return { facts: makeFacts({ by, captures }), frames, threads, samples };
}

// Names that try to be something else.
export const HOSTILE_NAMES = [
  '</script><script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '" onload="window.hacked = 3" x="',
  "' onclick='window.hacked = 4",
  ']]><script>window.hacked = 5</script><![CDATA[',
  '<!-- <script>',
  '&lt;b&gt; &amp; &#0;',
  'right-to-left \u202e override',
  'zero \0 byte \x01 \x1b[31m',
  'line\nfeed\r\ttab',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '$& $1 $` @DATA@ \\u0041',
  'emoji 👩‍👩‍👧‍👦 🐍 é ü 漢字 العربية',
  '\ufeffbyte order mark \uffff',
  'x'.repeat(20000),
  '🐍'.repeat(3000),
  '',
];

export function makeHostileProfile() {
  const frames = HOSTILE_NAMES.flatMap((name, i) => [
    { name, file: `dir/${name}`, module: name, line: i },
    { name: 'plain', file: name, module: 'plain', line: -1 },
  ]);
  const samples = frames.map((_, i) => ({ stack: [0, i, (i + 1) % frames.length], bucket: i, count: 10 }));
  samples.push({ stack: frames.map((_, i) => i), count: 500 });
  return {
    facts: makeFacts({
      title: HOSTILE_NAMES[0] + HOSTILE_NAMES[7],
      choice: HOSTILE_NAMES[1],
      warnings: HOSTILE_NAMES.slice(0, 6),
      captures: [{ name: HOSTILE_NAMES[4], mode: HOSTILE_NAMES[1], features: HOSTILE_NAMES, python: HOSTILE_NAMES[2] }],
    }),
    frames,
    threads: [{ id: HOSTILE_NAMES[1] }, { id: 2 }],
    samples,
  };
}

// The base64 of a page with so many nodes, built without samples in between: they would take too long.
export function encodeLarge(count, seed = 1) {
  const random = makeRandom(seed);
  const functionCount = 5000;
  const strings = Array.from({ length: functionCount }, (_, i) => `function_${i}`);
  strings.push(...Array.from({ length: 100 }, (_, i) => `package/module_${i}.py`));
  const functions = strings
    .slice(0, functionCount)
    .map((_, i) => [i, functionCount + (i % 100), functionCount + (i % 100)]);
  const frames = functions.map((_, i) => [i, 1 + (i % 500), 0]);
  const nodes = [[0, 0]];
  const seen = new Set();
  while (nodes.length < count) {
    // Few children high up and many low down, as programs have; chains make it deep.
    const parent = random(4) === 0 ? random(nodes.length) : Math.max(0, nodes.length - 1 - random(40));
    const frame = random(functionCount);
    const key = parent * functionCount + frame;
    if (!seen.has(key)) {
      seen.add(key);
      nodes.push([parent, frame]);
    }
  }
  const threads = Array.from({ length: 8 }, (_, i) => ({ id: i + 1 }));
  const kinds = threads.flatMap((_, i) => [
    [i, 1],
    [i, 3],
  ]);
  const cells = nodes.map((_, node) => ({
    node,
    kind: random(kinds.length),
    bucket: random(200),
    count: 1 + random(3),
  }));
  const facts = makeFacts({ by: 'function', bucket_count: 200, title: 'large.bin' });
  return { base64: writeStream({ facts, strings, functions, frames, nodes, threads, kinds, cells }), nodes, cells };
}
