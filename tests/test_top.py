"""Checks the tables, trees and annotations of binprof-top against sums over the samples.

Usage: test_top.py BINPROF_DUMP BINPROF_TOP CAPTURES_DIRECTORY
"""
import collections
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).parent / 'support'))
import made  # noqa: E402
import samples  # noqa: E402
from samples import Capture, Selection, difference, module_name, visible  # noqa: E402

DUMP, TOP, CAPTURES = sys.argv[1:4]
GRAINS = {'function': ('function', 'file'), 'line': ('function', 'file', 'line'),
          'instruction': ('function', 'file', 'line', 'detail'), 'file': ('file',),
          'module': ('module',), 'thread': ('thread_id', 'interpreter_id', 'capture')}
OPCODES = {}  # names by number, of the Python that recorded the captures


def top(*arguments, status=0):
    result = subprocess.run([TOP, *map(str, arguments)], capture_output=True)
    assert result.returncode == status, (result.returncode, result.stderr.decode()[:500])
    return result.stdout.decode('utf-8')


def top_json(*arguments, status=0):
    return json.loads(top('--json', *arguments, status=status))


def percent(part, whole):
    return Fraction(100 * part, whole) if whole else 0


def check_percent(found, expected, where):
    assert abs(found - expected) < 1e-9, (where, found, float(expected))


def detail_of(frame):
    """What tells instructions of a line apart."""
    has_end = frame.end_line not in (-1, frame.line)
    words = []
    if frame.column != -1:
        words.append(f'column {frame.column}')
    if has_end:
        words.append(f'to line {frame.end_line}')
    if frame.end_column != -1:
        words.append(f'column {frame.end_column}' if has_end else f'–{frame.end_column}')
    if frame.opcode is not None:
        words.append(OPCODES[frame.opcode])
    return ' '.join(words).replace(' –', '–') or None


def learn_opcodes(directory):
    """Lets the tool tell each opcode's name, on a line of its own."""
    path = os.path.join(directory, 'opcodes.bin')
    made.write(path, [made.sample(1, 6000 + i, [('a.py', 'f', i + 1, i + 1, -1, -1, i)])
                      for i in range(255)])
    for row in top_json('--by', 'instruction', path)['rows']:
        OPCODES[row['line'] - 1] = row['detail']
    assert len(OPCODES) == len(set(OPCODES.values())) == 255


def key_of(frame, by):
    """What a row tells of a frame."""
    line = None if frame.line == -1 else frame.line
    if by in ('file', 'module') and not frame.is_code:
        return (frame.function,)
    return {'function': (frame.function, frame.file), 'line': (frame.function, frame.file, line),
            'instruction': (frame.function, frame.file, line, detail_of(frame)
                            if by == 'instruction' else None),
            'file': (frame.file,), 'module': (module_name(frame.file),)}[by]


class Sums:
    """Chosen samples of one side; stacks are those of rows, innermost first."""

    def __init__(self, captures, options, by):
        choice = options + (['--by', 'line'] if by == 'line' else [])
        if by == 'function':
            choice = options + ['--by', 'function']
        if by in ('file', 'module'):
            choice = options + ['--by', 'file']
        if by == 'module':
            choice = choice + ['--paths', 'module']
        self.selection = Selection(captures, choice)
        self.samples = len(self.selection.samples)
        self.stacks = collections.Counter()
        rows = [tuple(key_of(frame, by if by != 'thread' else 'function')
                      for frame in visible(stack)) for stack in self.selection.stacks]
        for (_, _, _, stack), count in self.selection.counts().items():
            self.stacks[rows[stack]] += count
        self.self, self.total = collections.Counter(), collections.Counter()
        for stack, count in self.stacks.items():
            if stack:
                self.self[stack[0]] += count
            for key in set(stack):
                self.total[key] += count

    def threads(self, names):
        counts = collections.Counter()
        for s in self.selection.samples:
            counts[s.thread, s.interpreter, names[s.capture]] += 1
        return counts


def key_in(row, by):
    return tuple(row[name] for name in GRAINS[by])


def row_keys(by, counts):
    return set(GRAINS[by]) | counts


SELF_AND_TOTAL = {'self', 'total', 'self_percent', 'total_percent'}
COMPARED = {f'{prefix}{key}{suffix}' for key in ('self', 'total')
            for prefix, suffix in (('base_', ''), ('base_', '_percent'), ('', '_change'))}


def check_counts(row, key, now, base=None):
    """What a row counts of its own and of the base's samples."""
    for kind in ('self', 'total'):
        count = getattr(now, kind)[key]
        share = percent(count, now.samples)
        assert row[kind] == count, (key, kind, row[kind], count)
        check_percent(row[f'{kind}_percent'], share, key)
        if base:
            count = getattr(base, kind)[key]
            assert row[f'base_{kind}'] == count, (key, kind, row, count)
            check_percent(row[f'base_{kind}_percent'], percent(count, base.samples), key)
            check_percent(row[f'{kind}_change'], share - percent(count, base.samples), key)


def name_order(key):
    """Rows that are alike come in the order of their names; -1 before other lines."""
    return tuple(b'' if part is None else part.encode() if isinstance(part, str) else
                 b'%020d' % (part + 2 ** 32) for part in key[:3])


def check_order(rows, by, sort, compared):
    """Rows are in the order of what they are sorted by."""
    def order(row):
        name = name_order(key_in(row, by))
        if sort == 'name':
            return name
        change = -abs(round(row[f'{sort}_change'], 9)) if compared else 0
        totals = (-row['self'], -row['total']) if sort == 'self' else (-row['total'],)
        return (change, *totals, name)

    # Names that are no text are sorted by their bytes, which are not known here.
    orders = [order(row) for row in rows if '\ufffd' not in ''.join(map(str, row.values()))]
    assert orders == sorted(orders), 'rows are not in their order'


def command(options, by, *more):
    return [*options, '--by', by, *more]


def check_table(captures, options, by, sort=None, base=None):
    arguments = command(options, by) + (['--sort', sort] if sort else [])
    arguments += ['--diff', base.path] if base else []
    found = top_json(*arguments, *(c.path for c in captures))
    now = Sums(captures, options, by)
    before = Sums([base], options, by) if base else None
    assert found['by'] == by and found['samples'] == now.samples, found['samples']
    assert found['interval_us'] == captures[0].info['interval_us']
    rows = found['rows']
    assert not base or found['base_samples'] == before.samples
    if by == 'thread':
        check_threads(rows, now, captures)
        return
    keys = [key_in(row, by) for row in rows]
    assert len(set(keys)) == len(keys), 'a row is there twice'
    expected = set(now.total) | set(before.total if base else ())
    assert set(keys) == expected, set(keys) ^ expected
    for row, key in zip(rows, keys):
        assert row.keys() == row_keys(by, SELF_AND_TOTAL | (COMPARED if base else set())), row
        check_counts(row, key, now, before)
    check_order(rows, by, sort or 'self', base is not None)
    check_csv(arguments, captures, rows)


def check_threads(rows, now, captures):
    names = samples.capture_names([c.path for c in captures])
    expected = now.threads(names)
    found = {key_in(row, 'thread'): row['samples'] for row in rows}
    assert len(found) == len(rows)
    assert found == expected, difference(found, expected)
    for row in rows:
        assert row.keys() == row_keys('thread', {'samples', 'percent'}), row
        check_percent(row['percent'], percent(row['samples'], now.samples), row)
    counts = [row['samples'] for row in rows]
    assert counts == sorted(counts, reverse=True)


def cell_of(value):
    return '' if value is None else str(value)


def check_csv(arguments, captures, rows):
    """The same rows and columns as in JSON."""
    text = top('--csv', *arguments, *(c.path for c in captures))
    head, *lines = list(csv.reader(io.StringIO(text, newline='')))
    assert len(lines) == len(rows), (len(lines), len(rows))
    for line, row in zip(lines, rows):
        assert len(line) == len(head)
        assert head == list(row), (head, list(row))
        for name, cell in zip(head, line):
            if isinstance(row[name], float):
                assert abs(float(cell) - row[name]) < 1e-9, (name, cell, row)
            else:
                assert cell == cell_of(row[name]), (name, cell, row)


def check_limit(captures):
    paths = [c.path for c in captures]
    rows = top_json(*paths)['rows']
    for limit in (1, 3, 1000000):
        assert top_json('-n', limit, *paths)['rows'] == rows[:limit]
    assert top_json('-n', 0, *paths)['rows'] == rows
    lines = list(csv.reader(io.StringIO(top('--csv', '-n', 2, *paths), newline='')))
    assert len(lines) == 1 + min(2, len(rows))


# Callers and callees.

def check_neighbours(captures, options, by, view, subject, base=None):
    """subject: the key of a function."""
    name = f'{subject[1]}:{subject[0]}' if by in ('function', 'line') else subject[0]
    arguments = command(options, by, '--' + view, name)
    arguments += ['--diff', base.path] if base else []
    found = top_json(*arguments, *(c.path for c in captures))
    sides = [Sums(captures, options, by)] + ([Sums([base], options, by)] if base else [])
    width = len(subject)
    expected = []
    for side in sides:
        split, own, total = collections.Counter(), 0, 0
        for stack, count in side.stacks.items():
            places = [i for i, key in enumerate(stack) if key[:width] == subject]
            if not places:
                continue
            at = places[-1] + 1 if view == 'callers' else places[-1] - 1
            split[stack[at] if 0 <= at < len(stack) else None] += count
            total += count
            own += count if places[0] == 0 else 0
        expected.append((split, own, total))
    (split, own, total) = expected[0]
    of = found['of']
    assert (of['self'], of['total']) == (own, total), (of, own, total)
    assert key_in(of, 'function' if width == 2 else by)[:width] == subject, of
    rows, counted = found[view], 'total' if base else 'samples'
    keys = [key_in(row, by) for row in rows]
    keys = [None if all(part is None for part in key) else key for key in keys]
    counts = {key: row[counted] for key, row in zip(keys, rows)}
    assert len(counts) == len(rows), 'a row is there twice'
    if base:
        assert (of['base_self'], of['base_total']) == expected[1][1:], of
        base_counts = {key: row['base_total'] for key, row in zip(keys, rows)}
        wanted = {key: expected[1][0][key] for key in counts}
        assert base_counts == wanted, difference(base_counts, wanted)
        assert set(counts) == set(split) | set(expected[1][0])
        counts = {key: count for key, count in counts.items() if count}
        assert counts == split, difference(counts, split)
        return
    assert counts == split, difference(counts, split)
    assert sum(counts.values()) == total
    for row in rows:
        assert row.keys() == row_keys(by, {'samples', 'percent'}), row
        check_percent(row['percent'], percent(row['samples'], sides[0].samples), row)
    order = [-row['samples'] for row in rows]
    assert order == sorted(order)
    check_csv(arguments, captures, rows)


# Trees.

class Node:
    def __init__(self):
        self.own = self.total = 0
        self.children = {}


def tree_of(sums):
    root = Node()
    for stack, count in sums.stacks.items():
        node = root
        for key in reversed(stack):
            node = node.children.setdefault(key, Node())
            node.total += count
        node.own += count
    return root


def check_tree(captures, options, by, depth=None, min_share=None, base=None):
    arguments = command(options, by, '--tree') + (['--depth', depth] if depth else [])
    arguments += ['--min-share', min_share] if min_share is not None else []
    arguments += ['--diff', base.path] if base else []
    found = top_json(*arguments, *(c.path for c in captures))
    now, before = Sums(captures, options, by), Sums([base], options, by) if base else None
    assert found['samples'] == now.samples
    share = Fraction(str(min_share if min_share is not None else 1))
    waiting = [(found['children'], tree_of(now), tree_of(before) if base else Node(), 1, ())]
    while waiting:
        rows, node, base_node, level, path = waiting.pop()
        keys = [key_in(row, by) for row in rows]
        assert len(set(keys)) == len(keys), (path, 'twice')
        empty = Node()
        both = {key: (node.children.get(key, empty), base_node.children.get(key, empty))
                for key in set(node.children) | set(base_node.children)}
        expected = {key for key, (child, other) in both.items()
                    if (not depth or level <= depth) and
                    (percent(child.total, now.samples) >= share or
                     base and percent(other.total, before.samples) >= share)}
        assert set(keys) == expected, (path, set(keys) ^ expected)
        totals = [row['total'] for row in rows]
        assert totals == sorted(totals, reverse=True), path
        for row, key in zip(rows, keys):
            child, other = both[key]
            assert (row['self'], row['total']) == (child.own, child.total), (path, row['total'])
            counts = {'self', 'total', 'children'}
            if base:
                counts |= {'base_self', 'base_total'}
                assert (row['base_self'], row['base_total']) == (other.own, other.total)
            assert row.keys() == row_keys(by, counts), row.keys()
            waiting.append((row['children'], child, other, level + 1, path + (key,)))


# Annotated source.

def check_annotated(captures, options, wanted, file, root=None, lines=None):
    """lines: those of the source, None where it is not there."""
    arguments = [*options, '--annotate', wanted] + (['--source-root', root] if root else [])
    found = top_json('-q', *arguments, *(c.path for c in captures))
    assert found['file'] == file, (found['file'], file)
    selection = Selection(captures, options + ['--by', 'line'])
    own, total = collections.Counter(), collections.Counter()
    for (_, _, _, stack), count in selection.counts().items():
        stack = visible(selection.stacks[stack])
        numbers = [frame.line if frame.line > 0 else None for frame in stack if frame.file == file]
        total.update({number: count for number in set(numbers)})
        if stack and stack[0].file == file:
            own[numbers[0]] += count
    rows = {row['line']: row for row in found['lines']}
    assert len(rows) == len(found['lines'])
    counted = {line: row['total'] for line, row in rows.items() if row['total']}
    assert counted == total, difference(counted, total)
    numbers = [line for line in rows if line is not None]
    assert numbers == sorted(numbers)
    for line, row in rows.items():
        assert row.keys() == {'line', 'self', 'total', 'text'}, row
        assert row['self'] == own[line], (row, own[line])
        text = lines[line - 1] if lines and line and line <= len(lines) else None
        assert row['text'] == text, (row, text)


def check_sources(checks, directory):
    source = b'first\r\n\tif x:\n\xff\xfe ;\n\n"a\\b"\nlast'
    text = ['first', '\tif x:', '\ufffd\ufffd ;', '', '"a\\b"', 'last']
    folder = pathlib.Path(directory, 'root', 'pkg')
    folder.mkdir(parents=True)
    (folder / 'mod.py').write_bytes(source)
    file, other = '/srv/app/pkg/mod.py', '/srv/other/mod.py'
    f = [(file, 'f', line) for line in range(1, 10)]
    stacks = [[f[0], f[1], f[0]], [(file, 'g', 1), f[0]], [f[5]], [f[8], f[2]], [f[3], f[4]],
              [(other, 'f', 1), f[1]], [(file, 'h', -1)], [(file, 'h', -5), f[2]], [(other, 'f', 3)],
              [(file, '<lambda>', 2), f[1], (file, 'g', 2)], [(file, 'h', 0)]]
    path = os.path.join(directory, 'annotated.bin')
    made.write(path, [made.sample(1, 6000 + i, stack) for i, stack in enumerate(stacks * 2)])
    capture = Capture(DUMP, path)
    root = folder.parent
    for options in ([], ['--focus', 'g'], ['--collapse-recursion'], ['--from', '1.005ms']):
        name = ' '.join(options)
        for wanted in (file, 'pkg/mod.py', 'app/pkg/mod.py'):
            checks.run(f'--annotate {wanted} {name}', check_annotated, [capture], options, wanted,
                       file, root, text)
    checks.run('--annotate, no source', check_annotated, [capture], [], 'pkg/mod.py', file)
    checks.run('--annotate, several', fails, 1, ['several', file, other], '--annotate', 'mod.py',
               path)
    checks.run('--annotate, none', fails, 1, ['no samples'], '--annotate', 'od.py', path)
    mixed = Capture(DUMP, os.path.join(CAPTURES, 'wall-all-plain.bin'))
    workloads = pathlib.Path(CAPTURES, 'workloads')
    lines = (workloads / 'mixed.py').read_text().splitlines()
    for options in ([], ['--thread', 'main'], ['--skip-idle', '--merge-threads']):
        checks.run(f'--annotate mixed.py {" ".join(options)}', check_annotated, [mixed], options,
                   'mixed.py', '/srv/app/mixed.py', workloads, lines)


# Differences that fail.

def check_grown(path, base, options, points, sort='self', by='function'):
    now, before = Sums([path], options, by), Sums([base], options, by)
    grown = {}
    for key in set(now.total) | set(before.total):
        grew = percent(getattr(now, sort)[key], now.samples) - \
            percent(getattr(before, sort)[key], before.samples)
        if grew > Fraction(str(points)):
            grown[key] = grew
    found = top_json(*command(options, by), '--sort', sort, '--diff', base.path, '--fail-if-grew',
                     points, path.path, status=1 if grown else 0)
    keys = {key_in(row, by) for row in found['rows']}
    assert keys == set(grown), keys ^ set(grown)


def check_all_grown(checks, directory):
    names = ('wall-all-plain.bin', 'variant-gap.bin', 'edge-two.bin')
    captures = [Capture(DUMP, os.path.join(CAPTURES, name)) for name in names]
    for path in captures:
        for base in captures:
            for points, sort in ((0, 'self'), (0.5, 'total'), (5, 'self'), (100, 'total')):
                name = f'--fail-if-grew {points} --sort {sort} {path.name} {base.name}'
                checks.run(name, check_grown, path, base, [], points, sort)
    # Whole hundredths, most of which are no binary fractions: a limit is a limit.
    for before, after in ((1, 7), (1, 28), (2, 55), (3, 4), (50, 51), (28, 57)):
        base, grown = (make_share(directory, name, share)
                       for name, share in (('base', before), ('now', after)))
        for points in (after - before - 1, after - before, after - before + 1):
            checks.run(f'--fail-if-grew {points} from {before} to {after}', check_grown, grown, base,
                       [], points)
    for share in (1, 7, 14, 28, 29, 55, 57, 58):
        one = make_share(directory, 'share', share)
        for limit in (share - 1, share, share + 1):
            checks.run(f'--min-share {limit} of {share}', check_tree, [one], [], 'function', None,
                       limit)


def make_share(directory, name, share):
    """A capture of 100 samples, of which a function has just so many."""
    stacks = [[('a.py', 'f', 1)]] * share + \
        [[('a.py', f'rest{i % 10}', 1)] for i in range(100 - share)]
    path = os.path.join(directory, f'{name}.bin')
    made.write(path, [made.sample(1, 6000 + i, stack) for i, stack in enumerate(stacks)])
    return Capture(DUMP, path)


# All of it.

OPTIONS = [
    [],
    ['--skip-idle'],
    ['--from', '20%', '--to', '80%'],
    ['--focus', 'e', '--ignore', 'no such'],
    ['--trim-root', '^<module>$'],
    ['--collapse-recursion', '--paths', 'base'],
    ['--merge-threads', '--status', '!has-gil'],
    ['--focus', 'nothing like it'],
    ['--paths', 'module'],
]


# Captures that all kinds of rows are tried with; with the others, half of them.
WHOLE = ('native-gc.bin', 'opcodes.bin', 'wall-all-plain.bin', 'edge-two.bin')


def check_capture(checks, capture, seed):
    for number, by in enumerate(GRAINS):
        if (seed + number) % 2 and capture.name not in WHOLE:
            continue
        options = OPTIONS[(seed + number) % len(OPTIONS)]
        if by == 'module' and '--paths' in options or capture.name == 'native-gc.bin':
            options = []
        name = f'{capture.name} --by {by} {" ".join(options)}'
        checks.run(name, check_table, [capture], options, by, (None, 'total')[seed % 2])
        if by in ('function', 'line', 'instruction', 'file', 'module'):
            checks.run(f'--tree {name}', check_tree, [capture], options, by,
                       (None, 1, 4)[(seed + number) % 3], (None, 0, 0.1, 5, 33.3)[seed % 5])
    sums = Sums([capture], [], 'function')
    common = [key for key, _ in sums.total.most_common()]
    for number, subject in enumerate(common[:1] + common[seed % 7 + 2::17][:2]):
        view = ('callers', 'callees')[(seed + number) % 2]
        for by in ('function', 'line'):
            if subject[1] and subject[0] and '\0' not in ''.join(subject):
                checks.run(f'--{view} {capture.name} {subject} --by {by}', check_neighbours,
                           [capture], [], by, view, subject)
    checks.run(f'-n {capture.name}', check_limit, [capture])


def make_recursion(directory):
    """Frames that recur, directly and not, with and without others around them."""
    def f(line=1):
        return ('/a/x.py', 'f', line)

    def g(line=1):
        return ('/a/x.py', 'g', line)

    h, native = ('/b/x.py', 'f', 1), ('~', '<native>', -1)
    internal = ('/usr/lib/python3.15/profiling/sampling/_sync_coordinator.py', 'main', 3)
    stacks = [[f()], [f(1), f(2)], [g(), f(), g(), f()], [f(), g(), f(), g()], [h, f(), h, f(3)],
              [native, f(), native], [internal], [f(), internal], [internal, f()], [], [g(1), g(2)],
              [f(5), h], [native], [native, native], [f(1)] * 30, [g(1), h, f(1), internal, g(4)]]
    path = os.path.join(directory, 'recursion.bin')
    made.write(path, [made.sample(1 + i % 2, 6000 + 10 * i, stack, i % 8, i % 3)
                      for i, stack in enumerate(stacks) for _ in range(i + 1)])
    return path


def make_names(directory):
    """Names that are hard to write as JSON and CSV."""
    names = ('a"b', 'a,b', 'a;b', 'line\nbreak', 'cr\rlf\r\n', 'tab\t', 'é', '\u2028', '\\', ' ',
             '=1+1', '\x7f\x1b[31m', "'", '\U0001f40d', 'x' * 3000, 'a:b')
    rows = [made.sample(1, 6000 + 10 * i, [(f'{name}.py', name, i), ('~', f'<{name}>', -1)])
            for i, name in enumerate(names)]
    rows += [made.sample(1, 7000 + i, [(name, name, 1)])
             for i, name in enumerate((b'\xff', b'a\xc3', b'\xed\xa0\x80', b'nul\0'))]
    path = os.path.join(directory, 'names.bin')
    made.write(path, rows)
    return path


def check_made(checks, directory):
    recursion = Capture(DUMP, make_recursion(directory))
    for number, options in enumerate(OPTIONS[:7]):
        for by in list(GRAINS)[number % 2::1 if not options else 2]:
            name = f'{recursion.name} --by {by} {" ".join(options)}'
            checks.run(name, check_table, [recursion], options, by)
            if by != 'thread':
                checks.run(f'--tree {name}', check_tree, [recursion], options, by, None, 0)
        for by in ('function', 'line'):
            for subject in (('f', '/a/x.py'), ('g', '/a/x.py'), ('f', '/b/x.py'), ('<native>', '~')):
                if '--paths' in options:
                    continue
                for view in ('callers', 'callees'):
                    if Sums([recursion], options, 'function').total[subject]:
                        checks.run(f'--{view} {subject} --by {by} {" ".join(options)}',
                                   check_neighbours, [recursion], options, by, view, subject)
    checks.run('--callers, several', fails, 1, ['several', '/a/x.py:f', '/b/x.py:f'], '--callers',
               'f', recursion.path)
    names = Capture(DUMP, make_names(directory))
    for by in GRAINS:
        checks.run(f'{names.name} --by {by}', check_table, [names], [], by)
    none = os.path.join(directory, 'none.bin')
    made.write(none, [])
    for by in GRAINS:
        checks.run(f'none.bin --by {by}', check_table, [Capture(DUMP, none)], [], by)


def check_several(checks):
    one, two, gap = (Capture(DUMP, os.path.join(CAPTURES, name + '.bin'))
                     for name in ('wall-all-plain', 'edge-two', 'variant-gap'))
    for options in ([], ['--from', '200ms', '--to', '70%'], ['--merge-threads', '--skip-idle']):
        for by in GRAINS:
            name = f'--by {by} {" ".join(options)}'
            checks.run(f'three {name}', check_table, [one, gap, two], options, by)
            checks.run(f'one twice {name}', check_table, [one, one], options, by)
            if by == 'thread':
                continue
            for sort in ('self', 'total', 'name'):
                checks.run(f'--diff --sort {sort} {name}', check_table, [one], options, by, sort,
                           gap)
            checks.run(f'--diff of two {name}', check_table, [two, gap], options, by, None, one)
            checks.run(f'--diff --tree {name}', check_tree, [one], options, by, 6, 2, gap)
        for view in ('callers', 'callees'):
            checks.run(f'--diff --{view} {" ".join(options)}', check_neighbours, [one, gap],
                       options, 'function', view, ('_run_code', '<frozen runpy>'), one)


# Errors.

def fails(status, messages, *arguments):
    for form in ('--json', '-q'):
        result = subprocess.run([TOP, form, *map(str, arguments)], capture_output=True)
        text = result.stderr.decode()
        assert result.returncode == status, (result.returncode, text)
        assert text.startswith('binprof-top: '), text
        assert all(message in text for message in messages), text
        assert not result.stdout, result.stdout


def check_errors(checks):
    capture = os.path.join(CAPTURES, 'wall-all-plain.bin')
    table = [
        (1, ['no thread 1'], ['--thread', '1']), (1, ['no interpreter 4'], ['--interpreter', '4']),
        (1, ['focus'], ['--focus', '(']), (2, ['--by'], ['--by', 'stack']),
        (2, ['--sort'], ['--sort', 'size']), (2, ['limit'], ['-n', '-1']),
        (2, ['limit'], ['-n', 'x']), (2, ['depth'], ['--tree', '--depth', 'x']),
        (2, ['min-share'], ['--tree', '--min-share', '101']),
        (2, ['min-share'], ['--tree', '--min-share', 'nan']),
        (2, ['--fail-if-grew'], ['--fail-if-grew', '1']),
        (2, ['fail-if-grew'], ['--fail-if-grew', '-1', '--diff', capture]),
        (1, ['no samples'], ['--callers', 'nothing like it']),
        (2, [], ['--callers', 'a', '--callees', 'b']), (2, [], ['--tree', '--callers', 'a']),
        (2, ['--json'], ['--json', '--csv']), (2, [], ['--by', 'thread', '--tree']),
        (2, ['--from'], ['--from', '2s', '--to', '1s']), (1, [], ['--diff', '/nonexistent.bin']),
    ]
    for status, messages, options in table:
        if '--json' in options:
            checks.run(' '.join(options), fails_once, status, messages, *options, capture)
        else:
            checks.run(' '.join(options), fails, status, messages, *options, capture)


def fails_once(status, messages, *arguments):
    result = subprocess.run([TOP, *arguments], capture_output=True)
    assert result.returncode == status and not result.stdout, result
    assert all(message in result.stderr.decode() for message in messages), result.stderr


def check_locale(directory):
    """A choice is the same whatever the locale."""
    path = os.path.join(directory, 'locale.bin')
    made.write(path, [made.sample(1, 6000, [('a.py', 'é', 1)]), made.sample(1, 6001, [
        ('a.py', b'x\xffy', 1)]), made.sample(1, 6002, [('a.py', 'ab', 1)])])
    for pattern in ('^.$', '^..$', '^x.y$', '^x.*y$', '^[é]$'):
        found = {locale: json.loads(subprocess.run(
            [TOP, '--json', '--focus', pattern, path], capture_output=True, check=True,
            env={**os.environ, 'LC_ALL': locale}).stdout)['samples']
            for locale in ('C', 'C.UTF-8')}
        assert found['C'] == found['C.UTF-8'], (pattern, found)


def main():
    checks = samples.Checks()
    with tempfile.TemporaryDirectory() as directory:
        checks.run('opcodes', learn_opcodes, directory)

    def check_captures(_):
        for seed, path in enumerate(samples.capture_paths(CAPTURES, DUMP)):
            check_capture(checks, Capture(DUMP, path), seed)
        if samples.WITH_LARGE and not samples.WITHOUT_ZSTD:
            large = Capture(DUMP, os.path.join(CAPTURES, 'large.bin'))
            for by in ('function', 'instruction'):
                checks.run(f'large.bin --by {by}', check_table, [large], [], by)

    def check_others(directory):
        check_all_grown(checks, directory)
        check_sources(checks, directory)
        check_errors(checks)
        checks.run('locale', check_locale, directory)
        check_several(checks)

    samples.run_groups(check_captures, check_others,
                       lambda directory: check_made(checks, directory))
    return checks.finish(200)


sys.exit(main())
