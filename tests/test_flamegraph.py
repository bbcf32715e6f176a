"""Checks the flame graph page's data against an independent sum over the samples.

Usage: test_flamegraph.py BINPROF_DUMP BINPROF_CONVERT CAPTURES_DIRECTORY
"""
import base64
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / 'support'))
import made  # noqa: E402
import samples  # noqa: E402
from samples import Capture, Selection, base_name, difference, module_name, visible  # noqa: E402

DUMP, CONVERT, CAPTURES = sys.argv[1:4]
OPENING = b'<script type="application/octet-stream" id="data">'
PAGE_MAX = 250 * 1024
BUCKETS_MAX = 256


class Reader:
    """The stream of bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        assert byte or not shift, f'number in a longer form before byte {self.at}'
        assert value <= 2 ** 53, value
        return value

    def below(self, limit):
        value = self.unsigned()
        assert value < limit, f'number {value} of {limit} before byte {self.at}'
        return value

    def signed(self):
        value = self.unsigned()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def text(self):
        length = self.unsigned()
        assert self.at + length <= len(self.data)
        self.at += length
        return self.data[self.at - length:self.at].decode('utf-8')


class Page:
    """What the data of a page say; every rule of the encoding is checked."""

    def __init__(self, html):
        before, opening, rest = html.partition(OPENING)
        text, closing, after = rest.partition(b'</script>')
        assert opening and closing and OPENING not in rest
        assert re.fullmatch(rb'[A-Za-z0-9+/]+={0,2}', text), 'not base64'
        assert len(text) % 4 == 0
        data = base64.b64decode(text, validate=True)
        assert base64.b64encode(data) == text, 'padding'
        self.viewer = before + opening + closing + after
        reader = Reader(data)
        assert reader.text() == 'binprof-page 1'
        self.facts = json.loads(reader.text())
        self.strings = [reader.text() for _ in range(reader.unsigned())]
        limit = len(self.strings)
        self.functions = [tuple(reader.below(limit) for _ in range(3))
                          for _ in range(reader.unsigned())]
        self.frames = [(reader.below(len(self.functions)), reader.signed(),
                        reader.below(limit + 1)) for _ in range(reader.unsigned())]
        self.read_nodes(reader)
        self.read_cells(reader)
        assert reader.at == len(data), f'{len(data) - reader.at} bytes are left over'
        self.check_used()

    def read_nodes(self, reader):
        count = reader.unsigned()
        assert count >= 1
        self.nodes, siblings = [(0, None)], set()
        for number in range(1, count):
            distance = reader.unsigned()
            assert 1 <= distance <= number, f'parent of node {number}'
            frame = reader.below(len(self.frames))
            assert (number - distance, frame) not in siblings, f'node {number} is there twice'
            siblings.add((number - distance, frame))
            self.nodes.append((number - distance, frame))

    def read_cells(self, reader):
        captures = len(self.facts['captures'])
        self.threads = []
        for _ in range(reader.unsigned()):
            thread = reader.text()
            assert re.fullmatch('0|[1-9][0-9]*', thread) and int(thread) < 2 ** 64, thread
            self.threads.append((int(thread), reader.below(2 ** 32), reader.below(captures)))
        assert len(set(self.threads)) == len(self.threads), 'a thread is there twice'
        self.kinds = [(reader.below(len(self.threads)), reader.below(256))
                      for _ in range(reader.unsigned())]
        assert len(set(self.kinds)) == len(self.kinds), 'a kind is there twice'
        self.cells, node, keys = [], 0, set()
        for _ in range(reader.unsigned()):
            node += reader.unsigned()
            assert node < len(self.nodes), node
            key = (node, reader.below(len(self.kinds)), reader.below(self.facts['bucket_count']))
            assert key not in keys, f'cell {key} is there twice'
            keys.add(key)
            count = reader.unsigned()
            assert count >= 1
            self.cells.append((*key, count))

    def check_used(self):
        """Nothing is there for nothing."""
        used = {node for node, _, _, _ in self.cells}
        for number in range(len(self.nodes) - 1, 0, -1):
            assert number in used, f'node {number} has no samples'
            used.add(self.nodes[number][0])
        assert {frame for _, frame in self.nodes[1:]} == set(range(len(self.frames))), 'frames'
        assert {frame[0] for frame in self.frames} == set(range(len(self.functions))), 'functions'
        strings = {string for function in self.functions for string in function}
        strings |= {frame[2] - 1 for frame in self.frames if frame[2]}
        assert strings == set(range(len(self.strings))), 'strings'
        assert len(set(self.strings)) == len(self.strings), 'a string is there twice'
        assert {kind for _, kind, _, _ in self.cells} == set(range(len(self.kinds))), 'kinds'
        assert {kind[0] for kind in self.kinds} == set(range(len(self.threads))), 'threads'

    def frame(self, number):
        function, line, detail = self.frames[number]
        name, file, module = (self.strings[string] for string in self.functions[function])
        return name, file, module, line, self.strings[detail - 1] if detail else None

    def counts(self):
        """Samples by (stack, thread, interpreter, capture, status, bucket)."""
        frames = [self.frame(number) for number in range(len(self.frames))]
        stacks = [()]
        for parent, frame in self.nodes[1:]:
            stacks.append(stacks[parent] + (frames[frame],))
        numbers, named = {}, []
        for stack in stacks:
            named.append(numbers.setdefault(stack, len(numbers)))
        counts = collections.Counter()
        for node, kind, bucket, count in self.cells:
            thread, status = self.kinds[kind]
            counts[(named[node], *self.threads[thread], status, bucket)] += count
        return counts, numbers


OPCODES = {}  # names by number, of the Python that recorded the captures


def learn_opcodes(directory):
    """Lets a page tell each opcode's name, on a line of its own."""
    path = os.path.join(directory, 'opcodes.bin')
    made.write(path, [made.sample(1, 6000 + i, [('a.py', 'f', i + 1, i + 1, -1, -1, i)])
                      for i in range(255)])
    page = make_page([path], (), None, directory)
    for number in range(len(page.frames)):
        _, _, _, line, name = page.frame(number)
        assert re.fullmatch(rf'[A-Z][A-Z0-9_]+|opcode {line - 1}', name), name
        OPCODES[line - 1] = name
    assert len(OPCODES) == len(set(OPCODES.values())) == 255
    assert OPCODES[0] == 'CACHE' and OPCODES[128] == 'RESUME', OPCODES
    assert {'LOAD_FAST', 'CALL', 'RETURN_VALUE', 'FOR_ITER'} <= set(OPCODES.values())


def detail_of(frame):
    """What tells instructions of a line apart."""
    has_end = frame.end_line not in (-1, frame.line)
    words = []
    if frame.column != -1:
        words.append(f'column {frame.column}')
    if has_end:
        words.append(f'to line {frame.end_line}')
    if frame.end_column != -1:
        words.append(f' column {frame.end_column}' if has_end else f'–{frame.end_column}')
    if frame.opcode is not None:
        words.append(OPCODES[frame.opcode])
    return ' '.join(words).replace(' –', '–').replace('  ', ' ') or None


class Expected:
    """What the page must say of samples."""

    def __init__(self, selection, page):
        self.selection, self.page = selection, page
        self.by = page.facts['by']

    def frame(self, frame):
        name = frame.function or base_name(frame.file)
        line = 0 if frame.line == -1 or self.by == 'function' else frame.line
        detail = detail_of(frame) if self.by == 'instruction' else None
        return name, frame.file, module_name(frame.file), line, detail

    def counts(self, numbers):
        bucket_us = self.page.facts['bucket_us']
        frames, stacks = {}, []
        for stack in self.selection.stacks:
            named = []
            for frame in reversed(visible(stack)):
                if frame not in frames:
                    frames[frame] = self.frame(frame)
                named.append(frames[frame])
            stacks.append(numbers.get(tuple(named), tuple(named)))
        counts = collections.Counter()
        for s in self.selection.samples:
            counts[stacks[s.stack], s.thread, s.interpreter, s.capture, s.status,
                   s.since // bucket_us] += 1
        return counts


def check_facts(page, captures, names, options, base):
    facts = page.facts
    assert facts.keys() == {'title', 'generator', 'by', 'choice', 'merged_threads', 'bucket_us',
                            'bucket_count', 'warnings', 'captures'}, facts.keys()
    assert facts['merged_threads'] == ('--merge-threads' in options)
    by = dict(zip(options, options[1:])).get('--by', 'instruction')
    by = 'function' if by == 'file' else by
    assert facts['by'] == by, (facts['by'], by)
    quoted = [f"'{word}'" if ' ' in word else word for word in options]
    assert facts['choice'] == (' '.join(quoted) or None), facts['choice']
    assert re.fullmatch(r'binprof \d+\.\d+\.\d+', facts['generator'])
    assert names[0] in facts['title'], facts['title']
    assert len(facts['captures']) == len(captures)
    for number, (found, capture) in enumerate(zip(facts['captures'], captures)):
        info, known = capture.info, capture.info['statistics'] or {}
        expected = {
            'name': names[number], 'base': base is not None and number == len(captures) - 1,
            'interval_us': info['interval_us'], 'samples': info['samples'],
            'duration_s': known.get('duration_s'), 'rate': known.get('sample_rate'),
            'failed_percent': known.get('failed_percent'),
            'missed_percent': known.get('missed_percent'), 'mode': info['mode'],
            'features': info['features'], 'python': info['python']}
        assert found == expected, difference(found, expected)
    keys = ('mode', 'interval_us', 'features')
    alike = all(c.info[key] == captures[0].info[key] for c in captures for key in keys)
    assert alike == (not facts['warnings']), facts['warnings']


def check_buckets(page, selection):
    width, count = page.facts['bucket_us'], page.facts['bucket_count']
    assert width >= 1 and 0 <= count <= BUCKETS_MAX, (width, count)
    last = max((s.since for s in selection.samples), default=None)
    if last is None:
        assert count <= 1, count
    else:
        assert count == last // width + 1, (count, last, width)
    # As fine as can be: twice as many would be too many, or finer than the interval.
    longest = max(c.last for c in selection.captures)
    longest = max([longest] + [c.info['statistics']['duration_s'] * 1e6
                               for c in selection.captures if c.info['statistics']])
    interval = selection.captures[0].info['interval_us']
    assert width <= max(interval, 2 * longest / 240 + 2), (width, longest)


def make_page(paths, options=(), base=None, directory=None):
    output = os.path.join(directory, 'page.html')
    extra = [] if base is None else ['--diff', base]
    subprocess.run([CONVERT, '--flamegraph', '-q', '-o', output, *options, *extra, *paths],
                   capture_output=True, check=True)
    return Page(pathlib.Path(output).read_bytes())


def check_page(captures, options, directory, base=None):
    paths = [capture.path for capture in captures]
    everything = captures + ([base] if base else [])
    page = make_page(paths, options, base and base.path, directory)
    selection = Selection(everything, options)
    names = samples.capture_names([capture.path for capture in everything])
    check_facts(page, everything, names, options, base)
    check_buckets(page, selection)
    found, numbers = page.counts()
    expected = Expected(selection, page).counts(numbers)
    shown = {number: stack for stack, number in numbers.items()}
    if found != expected:
        raise AssertionError(difference(*(
            {(shown.get(key[0], key[0]), *key[1:]): count for key, count in counts.items()}
            for counts in (found, expected))))
    return page


# Options; a part of them with each capture, by turns.
TABLE = [
    [],
    ['--by', 'function'],
    ['--by', 'line'],
    ['--by', 'instruction'],
    ['--skip-idle'],
    ['--by', 'file'],
    ['--from', '25%', '--to', '75%', '--by', 'line'],
    ['--by', 'function', '--collapse-recursion'],
    ['--trim-root', '^<module>$', '--by', 'line'],
    ['--merge-threads', '--by', 'function', '--paths', 'module'],
    ['--status', '!has-gil', '--paths', 'base'],
    ['--focus', 'e', '--ignore', 'no', '--by', 'line', '--paths', 'full'],
    ['--focus', 'nothing like it'],
    ['--from', '300ms'],
]
MERGED = [
    [],
    ['--by', 'function'],
    ['--by', 'line', '--from', '200ms', '--to', '90%'],
    ['--merge-threads', '--trim-root', '^<module>$'],
]


def check_captures(checks, directory):
    for seed, path in enumerate(samples.capture_paths(CAPTURES, DUMP)):
        capture = Capture(DUMP, path)
        step = 3 if len(capture.samples) < 20000 else 6
        table = TABLE if capture.name == 'wall-all-plain.bin' else TABLE[seed % step::step]
        for options in table:
            checks.run(f'{capture.name} {" ".join(options)}', check_page, [capture], options,
                       directory)


def check_merged(checks, directory):
    one, two, gap, narrow = (
        Capture(DUMP, os.path.join(CAPTURES, name + '.bin'))
        for name in ('wall-all-plain', 'edge-two', 'variant-gap', 'variant-narrow'))
    for options in MERGED:
        for captures in ([one, gap], [one, one], [gap, narrow, two, one]):
            name = f'{" ".join(options)} {" ".join(c.name for c in captures)}'
            checks.run(name, check_page, captures, options, directory)
            checks.run(f'--diff {name}', check_page, captures[:-1], options, directory,
                       captures[-1])


# Names that are markup, or no text at all.

HOSTILE = [
    b'</script><script>alert(1)</script>', b'<!--', b'-->', b'<!--<script>', b']]>', b'<img src=x>',
    b'&lt;b&gt;', b'"onload="x', b"'", b'`${x}`', b'\\u003c', b'\\', b'\0', b'a\0b', b'\xff\xfe',
    b'\xc3', b'a\xe8\xa8', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xc0\x80', b'\xf0\x9f\x90!',
    '\u2028\u2029'.encode(), '\u202eevil'.encode(), '\ufeff'.encode(), b'', b'\n', b'\r\n', b'\t',
    b'x' * 70000, '計'.encode() * 20000, b'__proto__', b'constructor', b'toString',
    b'</SCRIPT >', b'</script\t>', b'data:text/html,x', b'~', b'%3Cb%3E',
]


def sanitised(name):
    return name.decode('utf-8', 'replace')


def check_hostile(directory, viewer):
    """Hostile names decode to themselves, and stand nowhere else in the page."""
    path = os.path.join(directory, '</script\n><!--&"\'.bin'.replace('/', '_'))
    rows = []
    for i, name in enumerate(HOSTILE):
        rows.append(made.sample(1, 5000 + 1000 * i, [(name, b'f', 1), (b'f.py', name, 2)]))
        rows.append(made.sample(2, 5000 + 1000 * i, [(name, name, 3), (b'd/' + name, b'g', 4)]))
    made.write(path, rows)
    capture = Capture(DUMP, path)
    for options in ([], ['--by', 'function'], ['--paths', 'base'], ['--by', 'line', '--paths',
                    'module'], ['--focus', '</script><!--|.']):
        page = check_page([capture], options, directory)
        assert page.viewer == viewer, 'the page itself differs from that of another capture'
        if options == []:
            names = {(page.strings[f[1]], page.strings[f[0]]) for f in page.functions}
            for name in HOSTILE:
                shown = sanitised(name)
                assert (shown, 'f') in names, name[:50]
                assert ('f.py', shown or 'f.py') in names, name[:50]
                assert (shown, shown or '') in names, name[:50]
    os.unlink(path)


def check_odd_facts(directory, viewer):
    """Whatever stands in options and file names, the facts are JSON in UTF-8."""
    source = os.path.join(CAPTURES, 'edge-two.bin')
    odd = os.path.join(os.fsencode(directory), b'a\xff\xc3</script>'.replace(b'/', b'_') + b'.bin')
    shutil.copy(source, odd)
    for options in ([b'--focus', b'\xff|.'], [b'--focus', '計'.encode() * 3000 + b'|.'],
                    [b'--focus', b'x' + '計'.encode() * 3000 + b'|.'],
                    [b'--focus', b'xx' + '計'.encode() * 3000 + b'|.'],
                    [b'--focus', b'</script>|.'], [b'--ignore', b'a"b\\|\x01'],
                    [b'--status', b'!exception'] * 1000):
        page = make_page([odd], options, None, directory)
        assert page.viewer == viewer
        assert page.facts['choice'].startswith(options[0].decode() + ' ')
        assert page.facts['captures'][0]['name'] == 'a\ufffd\ufffd<_script>.bin', page.facts
        assert sum(cell[3] for cell in page.cells) == 7
    os.unlink(odd)


def check_viewer(viewer):
    """The page without its data is small and asks nobody for anything."""
    assert len(viewer) < PAGE_MAX, len(viewer)
    text = viewer.decode('utf-8')
    assert text.lower().startswith('<!doctype html>')
    rest = text.replace('http://www.w3.org/2000/svg', '')  # the name of a namespace
    rest = rest.replace('<link rel="icon" href="data:,">', '')
    for pattern in (r'https?:', r'\bsrc\s*=', r'@import', r'<link\b', r'<iframe', r'<object',
                    r'<base\b', r'\bfetch\(', r'XMLHttpRequest', r'WebSocket', r'\bimport\s*\(',
                    r'sendBeacon', r'\beval\(', r'new Function\b', r'innerHTML', r'outerHTML',
                    r'insertAdjacentHTML', r'document\.write'):
        match = re.search(pattern, rest)
        assert match is None, rest[max(match.start() - 60, 0):match.end() + 60]
    for match in re.finditer(r'url\(([^)]*)\)', rest):
        assert match[1].strip('\'"').startswith(('data:', '#')), match[0][:80]
    policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', text)
    assert policy and "default-src 'none'" in policy[1], policy


def check_gzip(directory):
    import gzip
    source = os.path.join(CAPTURES, 'edge-two.bin')
    for name in ('page.html', 'page.html.gz'):
        subprocess.run([CONVERT, '-q', '-o', os.path.join(directory, name), source], check=True)
    plain, packed = (pathlib.Path(directory, name).read_bytes()
                     for name in ('page.html', 'page.html.gz'))
    assert gzip.decompress(packed) == plain


# Made-up captures.

def make_instructions(directory):
    """Frames of one line that differ in what else there is of them."""
    places = [(5, 5, -1, -1, 255), (5, 5, 0, 0, 255), (5, 5, 0, 7, 255), (5, 6, 0, 7, 255),
              (5, 5, 3, -1, 255), (5, 9, -1, -1, 255), (5, 5, 0, 7, 0), (5, 5, -1, -1, 254),
              (-1, -1, -1, -1, 255), (0, 0, 0, 0, 255), (-7, -7, -1, -1, 255),
              (2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1, 0, 255), (-2 ** 31, -2 ** 31, 1, 2, 255)]
    rows = [made.sample(1 + i % 2, 6000 + 700 * i, [('a.py', 'f', *place), ('a.py', 'm', 1)],
                        (3 * i) % 256) for i, place in enumerate(places + places[:4])]
    path = os.path.join(directory, 'instructions.bin')
    made.write(path, rows)
    return path


def make_times(directory):
    """Far apart, before the start and backwards; several threads of one id."""
    paths = []
    for number, times in enumerate((
            (5000, 4999, 0, 5001, 10 ** 6, 10 ** 10, 10 ** 10 - 1, 10 ** 13),
            (5000, 5999, 6000, 5000 + 255999, 5000 + 256000), (5000 + 255999,), (5000 + 256000,),
            (2 ** 62,), (5000, 105000, 5000 + 250000 * 2 ** 33), (5000,),
            (2 ** 64 - 1, 5500, 2 ** 64 - 100))):
        rows = [made.sample(7, time, [('t.py', 'f', 1 + i % 3)] * (i % 4), 1 + i % 2, i % 2)
                for i, time in enumerate(times)]
        path = os.path.join(directory, f'times{number}.bin')
        made.write(path, rows)
        paths.append(path)
    empty = os.path.join(directory, 'empty.bin')
    made.write(empty, [])
    idle = os.path.join(directory, 'idle.bin')
    made.write(idle, [made.sample(3, 6000 + i, [], i % 64) for i in range(100)])
    odd = os.path.join(directory, 'interval.bin')
    made.write(odd, [made.sample(3, 6000 + i, [('a.py', 'f', 1)]) for i in range(2000)],
               interval=0)
    return paths + [empty, idle, odd]


def make_internal(directory):
    """Stacks that become the same without the profiler's own frames."""
    internal = [('/usr/lib/python3.15/profiling/sampling/_sync_coordinator.py', 'main', line)
                for line in range(3)]
    f, g = ('a.py', 'f', 1), ('a.py', 'g', 2)
    stacks = [[f], [f, internal[0]], [internal[1], f], [f, internal[2], g], [f, g],
              [internal[0]], [internal[0], internal[1]], [], [g, internal[1], internal[0], f],
              [g, f, ('/srv/_sync_coordinator.py', 'x', 1)]]
    path = os.path.join(directory, 'internal.bin')
    made.write(path, [made.sample(1, 5000 + 10 * i, stack, i % 2)
                      for i, stack in enumerate(stacks * 3)])
    return path


def check_made(checks, directory):
    for path in (make_instructions(directory), make_internal(directory), *make_times(directory)):
        capture = Capture(DUMP, path)
        for options in ([], ['--by', 'function'], ['--by', 'line'], ['--merge-threads'],
                        ['--by', 'function', '--paths', 'module'], ['--from', '50%']):
            checks.run(f'{capture.name} {" ".join(options)}', check_page, [capture], options,
                       directory)
    interval = Capture(DUMP, os.path.join(directory, 'interval.bin'))
    times = [Capture(DUMP, os.path.join(directory, f'times{i}.bin')) for i in range(4)]
    checks.run('times together', check_page, times, [], directory)
    checks.run('other interval as base', check_page, times[:1], [], directory, interval)


def main():
    checks = samples.Checks()
    with tempfile.TemporaryDirectory() as directory:
        plain = make_page([os.path.join(CAPTURES, 'edge-two.bin')], (), None, directory)
        checks.run('the page itself', check_viewer, plain.viewer)
        checks.run('opcodes', learn_opcodes, directory)
        check_captures(checks, directory)
        check_merged(checks, directory)
        check_made(checks, directory)
        checks.run('hostile names', check_hostile, directory, plain.viewer)
        checks.run('odd options', check_odd_facts, directory, plain.viewer)
        checks.run('gzip', check_gzip, directory)
        if samples.WITH_LARGE and not samples.WITHOUT_ZSTD:
            large = Capture(DUMP, os.path.join(CAPTURES, 'large.bin'))
            for options in ([], ['--by', 'function', '--from', '10s', '--skip-idle']):
                checks.run(f'large.bin {" ".join(options)}', check_page, [large], options,
                           directory)
    return checks.finish(100)


sys.exit(main())
