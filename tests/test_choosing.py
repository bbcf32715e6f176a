"""Checks what is chosen of captures against a second implementation of choosing.

Usage: test_choosing.py BINPROF_DUMP BINPROF_CONVERT CAPTURES_DIRECTORY
"""
import collections
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / 'support'))
import made  # noqa: E402
import samples  # noqa: E402
from samples import Capture, Selection, base_name, difference, printable, visible  # noqa: E402

DUMP, CONVERT, CAPTURES = sys.argv[1:4]

TABLE = [
    [],
    ['--thread', 'main'],
    ['--from', '0.5s'],
    ['--to', '700ms'],
    ['--from', '250000us', '--to', '.75s'],
    ['--from', '25%', '--to', '80%'],
    ['--from', '50%'],
    ['--to', '100%'],
    ['--from', '1us', '--to', '90%'],
    ['--status', 'has-gil'],
    ['--status', '!has-gil'],
    ['--status', 'on-cpu'],
    ['--status', '!on-cpu'],
    ['--status', 'unknown'],
    ['--status', '!unknown'],
    ['--status', 'gil-requested'],
    ['--status', '!gil-requested'],
    ['--status', 'exception'],
    ['--status', '!exception'],
    ['--status', 'main-thread'],
    ['--status', '!main-thread'],
    ['--status', 'has-gil,!main-thread'],
    ['--status', '!has-gil', '--status', '!gil-requested'],
    ['--skip-idle'],
    ['--skip-idle', '--status', '!exception', '--from', '10%'],
    ['--focus', 'encode'],
    ['--focus', '^<module>$'],
    ['--focus', 'json/'],
    ['--focus', r'mixed\.py:(cpu|scan)$'],
    ['--ignore', 'wait|sleep'],
    ['--ignore', '^/usr/lib/.*/threading'],
    ['--focus', 'e', '--ignore', '^Thread[.]run$'],
    ['--focus', 'no such function'],
    ['--focus', '^.{13}$'],
    ['--ignore', '^no such function'],
    ['--trim-root', '^<module>$'],
    ['--trim-root', r'\.run$|^run'],
    ['--trim-root', r'threading\.py:'],
    ['--trim-root', '_sync_coordinator', '--focus', '_sync_coordinator'],
    ['--trim-root', '[a-f]+[g-z]{2,3}$', '--ignore', '^_'],
    ['--collapse-recursion'],
    ['--merge-threads'],
    ['--by', 'file'],
    ['--by', 'function'],
    ['--by', 'line'],
    ['--paths', 'full'],
    ['--paths', 'base'],
    ['--paths', 'module'],
    ['--by', 'function', '--collapse-recursion', '--paths', 'module'],
    ['--by', 'file', '--paths', 'full', '--skip-idle'],
    ['--by', 'function', '--merge-threads', '--trim-root', '^<module>$', '--from', '20%',
     '--to', '60%', '--status', '!exception', '--paths', 'base', '--focus', '.'],
    ['--thread', 'main', '--from', '300ms', '--skip-idle', '--ignore', 'regex|re/'],
    ['--by', 'line', '--collapse-recursion', '--trim-root', ':[a-z]+$', '--merge-threads'],
]
# The capture that all of the table is tried with; with the others, every so many.
WHOLE = 'wall-all-plain.bin'


def convert(*arguments):
    return subprocess.run([CONVERT, *map(str, arguments)], capture_output=True, check=True)


def collapsed_lines(selection, names=None):
    """The lines that collapsed stacks have, with their counts."""
    choice = selection.choice
    texts = []
    for stack in selection.stacks:
        frames = []
        for frame in reversed(visible(stack)):
            line = 0 if frame.line == -1 else frame.line
            if not frame.is_code and line == 0:
                frames.append(printable(frame.function))
                continue
            parts = [printable(frame.file if choice.paths else base_name(frame.file))]
            if choice.by != 'file':
                parts.append(printable(frame.function))
            if choice.by not in ('file', 'function'):
                parts.append(str(line))
            frames.append(':'.join(parts))
        texts.append(';'.join(frames) if frames else None)
    lines = collections.Counter()
    for (capture, thread, _, stack), count in selection.counts().items():
        if texts[stack] is None:
            continue
        head = printable(names[capture]) + ';' if names else ''
        if 'merge-threads' not in choice.flags:
            head += f'tid:{thread};'
        lines[head + texts[stack]] += count
    return lines


def check_lines(output, expected):
    lines = [line.rpartition(' ') for line in output.decode('utf-8').split('\n')]
    assert lines.pop() == ('', '', ''), 'no newline at the end'
    found = {text: int(count) for text, _, count in lines}
    assert len(found) == len(lines), 'a line is there twice'
    counts = [int(line[2]) for line in lines]
    assert counts == sorted(counts, reverse=True), 'lines are not in the order of their counts'
    assert found == expected, difference(found, expected)


def check_collapsed(captures, options, names=None):
    selection = Selection(captures, options)
    result = convert('--collapsed', *options, *(c.path for c in captures))
    expected = collapsed_lines(selection, names)
    check_lines(result.stdout, expected)
    if not selection.samples:
        assert b'note' in result.stderr, result.stderr


def by_thread(rows, stacks):
    """Samples in the order in which they are, thread by thread."""
    threads = {}
    for s in rows:
        threads.setdefault((s.thread, s.interpreter), []).append(
            (s.time, s.status, stacks[s.stack]))
    return threads


def plain(stack):
    """Frames as a capture stores them; 256 at most."""
    return tuple((frame.file, frame.function) + frame.position() for frame in stack[:256])


def check_binary(capture, options, directory):
    """The capture that is written holds the chosen samples, and prints as they do."""
    path = os.path.join(directory, 'chosen.bin')
    convert('--binary', '--compression', 'none', *options, '-o', path, capture.path)
    selection = Selection([capture], options)
    rows = selection.samples
    if 'merge-threads' in selection.choice.flags:
        rows = sorted(rows, key=lambda s: s.time)
    stacks = [plain(stack) for stack in selection.stacks]
    written = Capture(DUMP, path)
    found = by_thread(written.samples, [plain(stack) for stack in written.stacks])
    expected = by_thread(rows, stacks)
    assert found.keys() == expected.keys(), (found.keys(), expected.keys())
    for key, thread in expected.items():
        if 'merge-threads' in selection.choice.flags:  # the order of equal times is anyone's
            check_sorted(found[key], thread)
        else:
            assert found[key] == thread, f'thread {key}'
    assert written.start == capture.start
    for key in ('interval_us', 'mode', 'features', 'python'):
        assert written.info[key] == capture.info[key], key
    if selection.choice.by != 'file':
        shown = [o for o in options if o in ('--merge-threads',)]
        shown += ['--by', selection.choice.by] if selection.choice.by else []
        shown += ['--paths', 'full'] if selection.choice.paths else []
        if all(len(stack) <= 256 for stack in selection.stacks):
            check_lines(convert('--collapsed', *shown, path).stdout, collapsed_lines(selection))


def check_sorted(found, expected):
    assert [s[0] for s in found] == [s[0] for s in expected], 'times'
    assert collections.Counter(found) == collections.Counter(expected), 'samples'


def check_gecko(captures, options, directory):
    path = os.path.join(directory, 'chosen.json')
    convert('--gecko', *options, '-o', path, *(c.path for c in captures))
    selection = Selection(captures, options)
    has_frames = [bool(visible(stack)) for stack in selection.stacks]
    expected = collections.Counter()
    for (capture, thread, _, stack), count in selection.counts().items():
        if has_frames[stack]:
            expected[capture, thread] += count
    threads = json.loads(pathlib.Path(path).read_bytes())['threads']
    found = sorted(sum(stack is not None for stack in thread['samples']['stack'])
                   for thread in threads)
    by_ids = collections.Counter()
    for (capture, thread, interpreter, stack), count in selection.counts().items():
        if has_frames[stack]:
            by_ids[capture, thread, interpreter] += count
    assert found == sorted(by_ids.values()), (found, by_ids)
    if len(captures) == 1:
        tids = collections.Counter()
        for thread in threads:
            tids[0, int(thread['tid'])] += sum(s is not None for s in thread['samples']['stack'])
        assert tids == expected, difference(tids, expected)


def thread_options(capture):
    ids = sorted({s.thread for s in capture.samples})
    interpreters = sorted({s.interpreter for s in capture.samples})
    for thread in ids[:2]:
        yield ['--thread', str(thread)]
    if len(ids) > 1:
        yield ['--thread', str(ids[0]), '--thread', str(ids[-1])]
        yield ['--thread', str(ids[-1]), '--from', '30%', '--to', '70%']
        yield ['--thread', str(ids[-1]), '--thread', 'main']
        yield ['--thread', str(ids[-1]), '--merge-threads']
        yield ['--thread', str(ids[0]), '--merge-threads']
    for interpreter in interpreters:
        yield ['--interpreter', str(interpreter)]
        yield ['--interpreter', str(interpreter), '--thread', str(ids[0])]
    if len(interpreters) > 1:
        yield ['--interpreter', str(interpreters[0]), '--interpreter', str(interpreters[1])]


def goes_with(options, capture):
    """A main thread that is not there is an error."""
    return 'main' not in options or any(
        s.status & samples.MAIN_THREAD for s in capture.samples)


def check_capture(checks, capture, directory, seed):
    step = 1 if capture.name == WHOLE else 9 if len(capture.samples) < 20000 else 17
    table = TABLE[seed % step::step]
    table = list(thread_options(capture)) + table
    table = [options for options in table if goes_with(options, capture)]
    for i, options in enumerate(table):
        name = f'{capture.name} {" ".join(options)}'
        checks.run(f'--collapsed {name}', check_collapsed, [capture], options)
        if (i + seed) % 4 == 0:
            checks.run(f'--binary {name}', check_binary, capture, options, directory)
        if (i + seed) % 8 == 0 or {'--thread', '--merge-threads'} <= set(options):
            checks.run(f'--gecko {name}', check_gecko, [capture], options, directory)


# Several captures.

MERGED = [
    [],
    ['--from', '100ms', '--to', '1s'],
    ['--from', '50%'],
    ['--skip-idle'],
    ['--focus', 'e', '--by', 'function'],
    ['--trim-root', '^<module>$', '--paths', 'module'],
    ['--merge-threads'],
    ['--merge-threads', '--collapse-recursion', '--by', 'file'],
]


def merged_rows(selection, names):
    """The threads of a binary capture that was made of several, without their ids."""
    rows = sorted(selection.samples, key=lambda s: s.time) \
        if 'merge-threads' in selection.choice.flags else selection.samples
    threads = {}
    for s in rows:
        root = ('~', names[s.capture], -1, -1, -1, -1, None)
        stack = (plain(selection.stacks[s.stack]) + (root,))[:256]
        threads.setdefault((s.capture, s.thread, s.interpreter), []).append(
            (s.time, s.status, stack))
    return threads


def check_merged_binary(captures, names, options, directory):
    path = os.path.join(directory, 'merged.bin')
    convert('--binary', '--compression', 'none', *options, '-o', path, *(c.path for c in captures))
    selection = Selection(captures, options)
    written = Capture(DUMP, path)
    assert written.start == captures[0].start
    found = by_thread(written.samples, [plain(stack) for stack in written.stacks])
    expected = merged_rows(selection, names)
    assert len(found) == len(expected), (len(found), len(expected))
    left = list(found.items())
    for (capture, thread, interpreter), wanted in expected.items():
        match = next((i for i, (_, rows) in enumerate(left) if rows == wanted), None)
        if match is None and 'merge-threads' in selection.choice.flags:
            match = next((i for i, (_, rows) in enumerate(left)
                          if collections.Counter(rows) == collections.Counter(wanted)), None)
        assert match is not None, f'thread {thread} of capture {capture} is not there'
        (_, other), _ = left.pop(match)
        assert other == interpreter, (other, interpreter)
    if 'merge-threads' not in selection.choice.flags:  # no id changes without need
        taken = {(s.thread, s.interpreter) for s in selection.samples if s.capture == 0}
        assert taken <= found.keys(), 'ids of the first capture'


def check_merged(checks, paths, directory, options_list=None):
    names = samples.capture_names(paths)
    read = {path: Capture(DUMP, path) for path in set(paths)}
    captures = [read[path] for path in paths]
    for options in MERGED if options_list is None else options_list:
        name = f'{" ".join(options)} {" ".join(map(os.path.basename, paths))}'
        checks.run(f'--collapsed {name}', check_collapsed, captures, options, names)
        checks.run(f'--binary {name}', check_merged_binary, captures, names, options, directory)
        checks.run(f'--gecko {name}', check_gecko, captures, options, directory)


def check_all_merged(checks, directory):
    captures = pathlib.Path(CAPTURES)
    one, two, gap = (str(captures / name) for name in
                     ('wall-all-plain.bin', 'edge-two.bin', 'variant-gap.bin'))
    same = [os.path.join(directory, folder, 'app.bin') for folder in 'ab']
    for source, target in zip((one, gap), same):
        os.makedirs(os.path.dirname(target))
        shutil.copy(source, target)
    check_merged(checks, [one, gap], directory)
    check_merged(checks, [one, one], directory, MERGED[:3] + MERGED[-1:])
    check_merged(checks, same, directory, MERGED[:1] + MERGED[4:7])
    check_merged(checks, [*same, two], directory, MERGED[:2])
    check_merged(checks, [two, two, two], directory, MERGED[1::3])
    check_merged(checks, [same[0], same[0], same[1], two], directory, MERGED[:1])
    clash = [os.path.join(directory, f'clash{i}.bin') for i in range(3)]
    for i, path in enumerate(clash):
        made.write(path, [made.sample(thread, time + 10 * i, [(f'{i}.py', 'f', 1 + thread % 7)])
                          for time in (5100, 5200) for thread in
                          ((7, 8), (7, 9, 8), (9, 7, 2 ** 64 - 1))[i]], start=5000 + 10 * i)
    check_merged(checks, clash, directory, MERGED[::2] + [['--thread', '8', '--merge-threads']])
    highest = [os.path.join(directory, f'highest{i}.bin') for i in range(2)]
    for i, path in enumerate(highest):
        made.write(path, [made.sample(2 ** 64 - 1, 5100, [('h.py', 'f', i + 1)])])
    check_merged(checks, highest, directory, [[]])
    checks.run('standard input among others', check_stdin, one, two)


def check_stdin(one, two):
    data = pathlib.Path(one).read_bytes()
    result = subprocess.run([CONVERT, '--collapsed', '-', two], input=data, capture_output=True,
                            check=True)
    captures = [Capture(DUMP, one), Capture(DUMP, two)]
    check_lines(result.stdout, collapsed_lines(Selection(captures, []),
                                               ['standard input', 'edge-two.bin']))


# Made-up captures.

PATHS = ('/usr/lib/python3.15/json/encoder.py', '/usr/lib/python3.15/json/__init__.py',
         '/usr/lib/python3.15/__init__.py', '/srv/app/main.py', '/srv/app/pkg/__init__.py',
         '/srv/app/pkg/__main__.py', 'app.py', 'pkg/mod.py', './pkg/mod.py', './app.py',
         'pkg/__init__.py', '__init__.py', '/__init__.py', '/a.py', 'C:\\app\\pkg\\__init__.py',
         'C:\\Python\\Lib\\site-packages\\numpy\\core\\_methods.py', 'lib\\mod.py',
         '/opt/venv/lib/python3.15/site-packages/requests/api.py',
         '/usr/lib/python3/dist-packages/apt/cache.py', '/usr/lib/python315.zip/os.py',
         '/usr/lib/python3.15t/threading.py', '<string>', '<frozen runpy>', '~', '', '.py',
         '/srv/app/.py', '/srv/python/app.py', 'python3.15', '/srv/python3.15', 'noext',
         '/srv/noext', 'a.b/c.d.py', '/srv/my app/x.py', '/srv/é/ü.py', '/x/site-packages/a.py')


def make_paths(directory):
    """A capture with paths of all kinds, and the same function in files of the same name."""
    rows = [made.sample(1, 5000 + 10 * i, [(path, f'f{i}', i)]) for i, path in enumerate(PATHS)]
    path = os.path.join(directory, 'paths.bin')
    made.write(path, rows)
    return path


def make_names(directory):
    """Names that are hard to print, match or split."""
    names = ('a;b', 'tab\there', 'line\nbreak', 'nul\0in', '\x7f\x80\x9f\xa0', '\u2028', ' ', '',
             'ends\n', 'é', '計算', '\U0001f40d', '\ufffd', 'a:b:3', 'x' * 5000)
    rows = []
    for i, name in enumerate(names):
        rows.append(made.sample(1, 6000 + i, [(f'{name}.py', name, i), ('~', name, -1)], 1))
        rows.append(made.sample(2, 6000 + i, [('~', name, 3), ('d/' + name, 'f', 0)], 2))
    for i, name in enumerate((b'\xff', b'\xc3', b'a\xe8\xa8', b'\xed\xa0\x80', b'\xf4\x90\x80\x80',
                              b'\xc0\x80', b'\xf0\x9f\x90!')):
        rows.append(made.sample(3, 7000 + i, [(name + b'.py', b'f' + name, 1)], 4))
    path = os.path.join(directory, 'names.bin')
    made.write(path, rows)
    return path


def make_recursion(directory):
    def f(line):
        return ('/a/x.py', 'f', line)

    other, g, native, gc = ('/b/x.py', 'f', 9), ('/a/x.py', 'g', 5), ('~', '<native>', -1), \
        ('~', '<GC>', -1)
    internal = ('/usr/lib/python3.15/profiling/sampling/_sync_coordinator.py', 'main', 3)
    stacks = [[f(1), f(2), f(3)], [f(1), g, f(3), f(3)], [native, native, f(1)],
              [gc, native, f(1), f(1), native], [f(1)] * 40, [g] + [f(i % 3) for i in range(9)],
              [f(1), internal, f(2)], [internal, internal, f(1)], [internal], [],
              [native, gc, gc, g, g, g, f(7)], [f(1), other], [f(1), other, f(2), f(1), other]]
    rows = [made.sample(1, 5000 + 10 * i, stack, i) for i, stack in enumerate(stacks)]
    path = os.path.join(directory, 'recursion.bin')
    made.write(path, rows)
    return path


def make_times(directory):
    """Times before the start, out of order and together at the limits of --from and --to."""
    times = (4000, 5000, 5999, 6000, 6001, 5500, 7000, 0, 2 ** 64 - 1, 15000, 14999, 15001)
    rows = [made.sample(1 + i % 2, time, [('t.py', f'at{time}', 1)], i % 64)
            for i, time in enumerate(times)]
    path = os.path.join(directory, 'times.bin')
    made.write(path, [row for row in rows if row.time < 2 ** 63])
    far = os.path.join(directory, 'far.bin')
    made.write(far, rows)
    return path, far


def make_internal(directory):
    """The profiler's own frames, wherever it is installed."""
    rows = [made.sample(1, 5000 + i, [(file, 'main', 4), ('/srv/app/x.py', 'f', i)])
            for i, file in enumerate((
                '/usr/lib/python3.15/profiling/sampling/_sync_coordinator.py',
                '/srv/_sync_coordinator.py', '_sync_coordinator.py',
                './profiling/_sync_coordinator.py', '/srv/my_sync_coordinator.py',
                'C:\\Python\\Lib\\profiling\\sampling\\_sync_coordinator.py'))]
    path = os.path.join(directory, 'internal.bin')
    made.write(path, rows)
    return path


def check_made(checks, directory):
    paths = [[]] + [['--paths', how] for how in ('full', 'base', 'module')]
    grains = [[]] + [['--by', by] for by in ('file', 'function', 'line')]
    crossed = [path + by for path in paths for by in grains]
    table = (
        (make_paths(directory), crossed),
        (make_internal(directory), crossed),
        (make_names(directory), crossed + [['--focus', pattern] for pattern in (
            '^a:b:3$', '\\.py$', '^ends', '計算', '^é$', '^$', 'x{5000}', '^ $', '^.$')] + [
                ['--ignore', '[;:]'], ['--trim-root', '^[a-z;]+$'], ['--trim-root', '~:']]),
        (make_recursion(directory), [
            ['--collapse-recursion', *by] for by in ([], ['--by', 'function'], ['--by', 'line'])] + [
                ['--collapse-recursion', '--merge-threads'], ['--trim-root', '^f$'],
                ['--trim-root', '^g$', '--collapse-recursion'], ['--trim-root', '^<native>$'],
                ['--trim-root', '_sync', '--collapse-recursion'], ['--ignore', '~'],
                ['--focus', '_sync']]),
        *((path, [[], ['--from', '0us'], ['--from', '1ms'], ['--to', '1ms'], ['--from', '1000us',
                  '--to', '1.001ms'], ['--from', '100%'], ['--to', '100%'], ['--from', '10%'],
                  ['--from', '10%', '--to', '10.01ms'], ['--from', '9999us', '--to', '10s'],
                  ['--merge-threads']]) for path in make_times(directory)),
    )
    for path, options_list in table:
        capture = Capture(DUMP, path)
        for i, options in enumerate(options_list):
            name = f'{capture.name} {" ".join(options)}'
            if (capture.name, options) != ('times.bin', ['--from', '100%']):
                checks.run(f'--collapsed {name}', check_collapsed, [capture], options)
            if i % 3 == 0:
                checks.run(f'--binary {name}', check_binary, capture, options, directory)


# Errors.

def run_failing(arguments, status, output=None, message=(), before=None):
    """Checks that a command fails, why, and that no output is left."""
    result = subprocess.run([CONVERT, *map(str, arguments)], capture_output=True, stdin=before)
    text = result.stderr.decode()
    left = []
    if output is not None:
        left = list(pathlib.Path(output).parent.iterdir())
        for path in left:
            path.unlink()
    assert result.returncode == status, (result.returncode, text)
    assert text.startswith('binprof-convert: '), text
    for part in message:
        assert part in text, (part, text)
    assert not result.stdout, result.stdout[:100]
    assert not left, left


def check_errors(checks, directory):
    captures = pathlib.Path(CAPTURES)
    capture, other = captures / 'wall-all-plain.bin', captures / 'edge-two.bin'
    ids = sorted({s.thread for s in Capture(DUMP, capture).samples})
    folder = os.path.join(directory, 'errors')
    os.mkdir(folder)

    endings = itertools.cycle(('collapsed', 'bin', 'json', 'html'))
    regex_options = itertools.cycle(('focus', 'ignore', 'trim-root'))
    time_options = itertools.cycle(('--from', '--to'))

    def fails(name, status, options, message=(), inputs=(capture,)):
        ending = next(endings)
        output = os.path.join(folder, 'out.' + ending)
        checks.run(f'{name} {" ".join(options)} .{ending}', run_failing,
                   ['-o', output, *options, *inputs], status, output, message)

    for _ in range(4):
        fails('no such thread', 1, ['--thread', '1'], ['no thread 1', *map(str, ids)])
    fails('one such thread', 1, ['--thread', str(ids[0]), '--thread', '99'], ['no thread 99'])
    fails('no such interpreter', 1, ['--interpreter', '5'], ['no interpreter 5', 'are: 0'])
    fails('no main thread', 1, ['--thread', 'main'], ['main thread', '7, 8'], [other])
    fails('no such thread in two', 1, ['--thread', '1'], ['7, 8', *map(str, ids)], [capture, other])
    for regex in ('(', '[a', '*a(', 'a{2,1}', '[[:foo:]]', '\\'):
        option = next(regex_options)
        fails('wrong regex', 1, ['--' + option, regex], [option])
    for time in ('', 's', '1', '1h', '-1s', '1.5', '101%', 'nan s', '1ss', '1 s', '1e400s', 'infs',
                 '0x10s', '+1s', '1s ', '%'):
        option = next(time_options)
        fails('wrong time', 2, [f'{option}={time}'], [option])
    for status in ('', 'gil', '!', 'has-gil,', ',has-gil', '!!has-gil', 'HAS-GIL', 'has-gil,foo',
                   'has-gil on-cpu', 'has-gil,!has-gil'):
        fails('wrong status', 2, ['--status', status], ['status'])
    for thread in ('', '-1', '1x', ' 1', '18446744073709551616', '0x1', 'Main'):
        fails('wrong thread', 2, ['--thread', thread], ['thread'])
    for interpreter in ('', '-1', 'x', '4294967296'):
        fails('wrong interpreter', 2, ['--interpreter', interpreter], ['interpreter'])
    for by in ('', 'lines', 'module', 'Function'):
        fails('wrong by', 2, ['--by', by], ['--by'])
    for paths in ('', 'short', 'FULL'):
        fails('wrong paths', 2, ['--paths', paths], ['--paths'])
    fails('times', 2, ['--from', '2s', '--to', '1s'], ['--from'])
    fails('times', 2, ['--from', '60%', '--to', '40%'], ['--from'])
    fails('times', 2, ['--from', '1s', '--to', '1000ms'], ['--from'])
    output = os.path.join(folder, 'x.collapsed')
    checks.run('too fine', run_failing, ['-o', output, '--by', 'instruction', capture], 2, output,
               ['instruction'])
    for ending in ('collapsed', 'bin', 'json'):
        output = os.path.join(folder, 'x.' + ending)
        checks.run(f'--diff .{ending}', run_failing, ['-o', output, '--diff', other, capture], 2,
                   output, ['--diff'])
        checks.run(f'standard input twice .{ending}', run_failing, ['-o', output, '-', '-'], 2,
                   output, ['standard input'], subprocess.DEVNULL)
    checks.run('standard input and base', run_failing, ['--flamegraph', '-o', output, '--diff', '-',
               '-'], 2, output, ['standard input'], subprocess.DEVNULL)
    os.rmdir(folder)


def check_no_overwriting(arguments, paths):
    before = [pathlib.Path(path).read_bytes() for path in paths]
    result = subprocess.run([CONVERT, *arguments], capture_output=True)
    assert result.returncode == 1, result
    assert b'both input and output' in result.stderr, result.stderr
    assert [pathlib.Path(path).read_bytes() for path in paths] == before


def check_outputs_that_are_inputs(checks, directory):
    sources = [pathlib.Path(CAPTURES, name) for name in ('wall-all-plain.bin', 'edge-two.bin')]
    paths = [shutil.copy(source, os.path.join(directory, f'in{i}.bin'))
             for i, source in enumerate(sources)]
    link = os.path.join(directory, 'link.bin')
    os.symlink(paths[1], link)
    hard = os.path.join(directory, 'hard.bin')
    os.link(paths[1], hard)
    for output in (*paths, link, hard):
        for extra in ([], ['--merge-threads']):
            checks.run(f'-o {os.path.basename(output)}', check_no_overwriting,
                       ['--binary', '-o', output, *extra, *paths], paths)
    checks.run('-o BASE', check_no_overwriting,
               ['--flamegraph', '--diff', paths[0], '-o', paths[0], paths[1]], paths)


def check_empty(directory):
    """Nothing chosen is no error."""
    capture = pathlib.Path(CAPTURES, 'wall-all-plain.bin')
    for ending in ('collapsed', 'bin', 'json', 'html'):
        output = pathlib.Path(directory, 'empty.' + ending)
        for options in (['--from', '100s'], ['--focus', 'nothing like it'],
                        ['--status', 'exception,has-gil,gil-requested']):
            result = convert('-o', output, *options, capture)
            assert b'note' in result.stderr, (ending, options, result.stderr)
            if ending == 'bin':
                subprocess.run([DUMP, '--verify', output], check=True, capture_output=True)
                assert not Capture(DUMP, output).samples
            elif ending == 'json':
                assert json.loads(output.read_bytes())['threads'] == []
            elif ending == 'collapsed':
                assert output.read_bytes() == b''
            else:
                assert b'</html>' in output.read_bytes()
            quiet = convert('-q', '-o', output, *options, capture)
            assert quiet.stderr == b'', quiet.stderr


def check_intervals(checks, directory):
    paths = [os.path.join(directory, f'interval{i}.bin') for i in range(2)]
    for i, path in enumerate(paths):
        made.write(path, [made.sample(1, 6000 + i, [('a.py', 'f', 1)])], interval=1000 + i)
    folder = os.path.join(directory, 'intervals')
    os.mkdir(folder)
    for ending in ('collapsed', 'bin', 'json', 'html'):
        output = os.path.join(folder, 'out.' + ending)
        checks.run(f'intervals .{ending}', run_failing, ['-o', output, *paths], 1, output,
                   ['--mixed-intervals'])
    os.rmdir(folder)
    captures = [Capture(DUMP, path) for path in paths]

    def check_mixed():
        result = convert('--collapsed', '--mixed-intervals', *paths)
        check_lines(result.stdout, collapsed_lines(Selection(captures, []),
                                                   samples.capture_names(paths)))
    checks.run('--mixed-intervals', check_mixed)


def check_large(checks, directory):
    capture = Capture(DUMP, os.path.join(CAPTURES, 'large.bin'))
    for options in ([], ['--from', '20%', '--to', '30s', '--by', 'function', '--skip-idle'],
                    ['--trim-root', '^<module>$', '--collapse-recursion', '--paths', 'module']):
        name = f'{capture.name} {" ".join(options)}'
        checks.run(f'--collapsed {name}', check_collapsed, [capture], options)
        if options:
            checks.run(f'--binary {name}', check_binary, capture, options, directory)


def main():
    checks = samples.Checks()

    def check_captures(directory):
        for seed, path in enumerate(samples.capture_paths(CAPTURES, DUMP)):
            check_capture(checks, Capture(DUMP, path), directory, seed)
        if samples.WITH_LARGE and not samples.WITHOUT_ZSTD:
            check_large(checks, directory)

    def check_others(directory):
        check_errors(checks, directory)
        check_outputs_that_are_inputs(checks, directory)
        checks.run('nothing chosen', check_empty, directory)
        check_intervals(checks, directory)
        check_made(checks, directory)

    samples.run_groups(check_captures, check_others,
                       lambda directory: check_all_merged(checks, directory))
    return checks.finish(300)


sys.exit(main())
