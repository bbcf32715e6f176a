// The page's data: from base64 to typed arrays. The format is in ../README.md.
//
// Nothing is taken on trust: a page that was cut or edited ends in a PageError that says what is wrong, never in a graph
// of something else.

const MAGIC = 'binprof-page 1';
const STATUS_BITS_MAX = 0xffff;
const BUCKETS_MAX = 1e7;
const GRANULARITIES = ['function', 'line', 'instruction'];

export const STATUS = { gil: 1, cpu: 2, cpuUnknown: 4, waiting: 8, exception: 16, main: 32 };

// The file of what is no code: <GC>, <native>, ….
export const NO_FILE = '~';

export class PageError extends Error {}

function bytesOfBase64(text) {
  let binary;
  try {
    binary = atob(text);
  } catch {
    throw new PageError('the data is not base64');
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

class ByteReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  }

  fail(what) {
    throw new PageError(`${what}, at byte ${this.at} of ${this.bytes.length}`);
  }

  // LEB128. Most numbers are one byte; numbers are beyond the 32 bits of shifts, so the rest is multiplied.
  number() {
    const { bytes } = this;
    let byte = bytes[this.at++];
    if (byte < 128) {
      return byte;
    }
    let value = 0;
    let scale = 1;
    for (;;) {
      if (byte === undefined) {
        this.fail('the data ends inside a number');
      }
      value += (byte & 127) * scale;
      if (byte < 128) {
        break;
      }
      scale *= 128;
      byte = bytes[this.at++];
      if (scale > Number.MAX_SAFE_INTEGER) {
        this.fail('a number is too long');
      }
    }
    if (value > 2 ** 53) {
      this.fail('a number is too large');
    }
    return value;
  }

  // A number below `limit`, such as one of an array of `limit` elements.
  below(limit, what) {
    const value = this.number();
    if (value >= limit) {
      this.fail(`${what} is ${value}, but there are only ${limit}`);
    }
    return value;
  }

  // How many items follow, each of at least `size` bytes: so damage cannot ask for more memory than the page has bytes.
  count(size, what) {
    const count = this.number();
    if (count * size > this.bytes.length - this.at) {
      this.fail(`there can't be ${count} ${what} in what is left`);
    }
    return count;
  }

  text() {
    const length = this.number();
    if (length > this.bytes.length - this.at) {
      this.fail('a text is longer than what is left');
    }
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    try {
      return this.decoder.decode(part);
    } catch {
      return this.fail('a text is not UTF-8');
    }
  }
}

function check(condition, what) {
  if (!condition) {
    throw new PageError(`the facts are not as they must be: ${what}`);
  }
}

const NUMBERS_OF_CAPTURE = ['samples', 'duration_s', 'rate', 'failed_percent', 'missed_percent'];

function checkCapture(capture) {
  check(capture !== null && typeof capture === 'object', '"captures"');
  check(capture.interval_us >= 0, '"interval_us"');
  for (const key of NUMBERS_OF_CAPTURE) {
    check((capture[key] ?? null) === null || Number.isFinite(capture[key]), `"${key}"`);
  }
  check((capture.features ?? null) === null || Array.isArray(capture.features), '"features"');
}

function readFacts(reader) {
  let facts;
  try {
    facts = JSON.parse(reader.text());
  } catch (error) {
    throw error instanceof PageError ? error : new PageError('the facts are not JSON');
  }
  check(facts !== null && typeof facts === 'object', 'no object');
  check(GRANULARITIES.includes(facts.by), '"by"');
  check(Array.isArray(facts.captures) && facts.captures.length > 0, '"captures"');
  facts.captures.forEach(checkCapture);
  check(facts.captures.filter((capture) => capture.base).length <= 1, 'more than one base');
  check(Number.isInteger(facts.bucket_count) && facts.bucket_count >= 0, '"bucket_count"');
  check(facts.bucket_count <= BUCKETS_MAX, '"bucket_count" is too large');
  check(facts.bucket_us >= 0, '"bucket_us"');
  return facts;
}

function readStrings(reader) {
  const strings = new Array(reader.count(1, 'strings'));
  for (let i = 0; i < strings.length; i++) {
    strings[i] = reader.text();
  }
  return strings;
}

function readFunctions(reader, strings) {
  const count = reader.count(3, 'functions');
  const name = new Uint32Array(count);
  const file = new Uint32Array(count);
  const module = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    name[i] = reader.below(strings.length, 'the string of a name');
    file[i] = reader.below(strings.length, 'the string of a file');
    module[i] = reader.below(strings.length, 'the string of a module');
  }
  return { count, name, file, module };
}

function readFrames(reader, functions, strings) {
  const count = reader.count(3, 'frames');
  const func = new Uint32Array(count);
  const line = new Int32Array(count);
  const detail = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    func[i] = reader.below(functions.count, 'the function of a frame');
    const zigzag = reader.number();
    if (zigzag > 0xffffffff) {
      reader.fail('a line is too large');
    }
    line[i] = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    detail[i] = reader.below(strings.length + 1, 'the detail of a frame');
  }
  return { count, func, line, detail };
}

function readNodes(reader, frames) {
  const count = reader.number();
  if (count < 1 || (count - 1) * 2 > reader.bytes.length - reader.at) {
    reader.fail(`there can't be ${count} nodes in what is left`);
  }
  const parent = new Uint32Array(count);
  const frame = new Uint32Array(count);
  for (let i = 1; i < count; i++) {
    const distance = reader.number();
    if (distance < 1 || distance > i) {
      reader.fail('a node does not come after its parent');
    }
    parent[i] = i - distance;
    frame[i] = reader.below(frames.count, 'the frame of a node');
  }
  return { count, parent, frame };
}

function readThreads(reader, facts) {
  const threads = new Array(reader.count(3, 'threads'));
  for (let i = 0; i < threads.length; i++) {
    threads[i] = {
      id: reader.text(),
      interpreter: reader.number(),
      capture: reader.below(facts.captures.length, 'the capture of a thread'),
      main: false,
      samples: 0,
    };
  }
  return threads;
}

function readKinds(reader, threads) {
  const count = reader.count(2, 'kinds');
  const thread = new Uint32Array(count);
  const status = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    thread[i] = reader.below(threads.length, 'the thread of a kind');
    status[i] = reader.below(STATUS_BITS_MAX + 1, 'a status');
    threads[thread[i]].main ||= (status[i] & STATUS.main) !== 0;
  }
  return { count, thread, status };
}

function readCells(reader, nodes, kinds, facts) {
  const count = reader.count(4, 'cells');
  const node = new Uint32Array(count);
  const kind = new Uint32Array(count);
  const bucket = new Uint32Array(count);
  const samples = new Float64Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    last += reader.number();
    if (last >= nodes.count) {
      reader.fail(`the node of a cell is ${last}, but there are only ${nodes.count}`);
    }
    node[i] = last;
    kind[i] = reader.below(kinds.count, 'the kind of a cell');
    bucket[i] = reader.below(facts.bucket_count, 'the time of a cell');
    samples[i] = reader.number();
    if (samples[i] < 1) {
      reader.fail('a cell without samples');
    }
  }
  return { count, node, kind, bucket, samples };
}

// Which nodes have <GC> on their stack, themselves included.
function markGc({ strings, functions, frames, nodes }) {
  const isGc = new Uint8Array(functions.count);
  for (let i = 0; i < functions.count; i++) {
    isGc[i] = strings[functions.name[i]] === '<GC>' && strings[functions.file[i]] === NO_FILE ? 1 : 0;
  }
  const inGc = new Uint8Array(nodes.count);
  for (let i = 1; i < nodes.count; i++) {
    inGc[i] = inGc[nodes.parent[i]] | isGc[frames.func[nodes.frame[i]]];
  }
  return inGc;
}

// What is the same under all filters: samples of threads and of each side, and which statuses occur.
function addSums(data) {
  const { cells, kinds, threads, facts } = data;
  data.diff = facts.captures.some((capture) => capture.base);
  data.sideOfKind = Uint8Array.from(kinds.thread, (thread) => (facts.captures[threads[thread].capture].base ? 1 : 0));
  data.inGc = markGc(data);
  data.all = [0, 0];
  data.statusSeen = 0;
  data.gcSeen = false;
  for (let i = 0; i < cells.count; i++) {
    const kind = cells.kind[i];
    data.all[data.sideOfKind[kind]] += cells.samples[i];
    threads[kinds.thread[kind]].samples += cells.samples[i];
    data.statusSeen |= kinds.status[kind];
    data.gcSeen ||= data.inGc[cells.node[i]] === 1;
  }
}

export function decodePage(base64) {
  const reader = new ByteReader(bytesOfBase64(base64));
  if (reader.text() !== MAGIC) {
    throw new PageError('this is no data of a flame graph page, or of a later version');
  }
  const facts = readFacts(reader);
  const strings = readStrings(reader);
  const functions = readFunctions(reader, strings);
  const frames = readFrames(reader, functions, strings);
  const nodes = readNodes(reader, frames);
  const threads = readThreads(reader, facts);
  const kinds = readKinds(reader, threads);
  const cells = readCells(reader, nodes, kinds, facts);
  if (reader.at !== reader.bytes.length) {
    reader.fail('there is more than there should be');
  }
  const data = { facts, strings, functions, frames, nodes, threads, kinds, cells };
  addSums(data);
  return data;
}

// The granularities that this page can show.
export function granularities(data) {
  return GRANULARITIES.slice(0, GRANULARITIES.indexOf(data.facts.by) + 1);
}
