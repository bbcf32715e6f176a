"""Checks the Firefox Profiler's format against an independent sum over the samples.

Usage: test_gecko.py BINPROF_DUMP BINPROF_CONVERT CAPTURES_DIRECTORY
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DUMP, CONVERT, CAPTURES = sys.argv[1:4]
HAS_GIL, ON_CPU, UNKNOWN, REQUESTED, EXCEPTION, MAIN = 1, 2, 4, 8, 16, 32
INTERNAL = '_sync_coordinator.py'


def dump(view, path):
    result = subprocess.run([DUMP, view, '--json', path], capture_output=True, check=True)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def is_gc(frame):
    return frame['filename'] == '~' and frame['function'] == '<GC>'


class Capture:
    """The samples, thread by thread, without the profiler's own frames."""

    def __init__(self, path):
        self.info, = dump('--info', path)
        self.frames = dump('--frames', path)
        self.threads = collections.OrderedDict()
        stacks = {}
        for s in dump('--samples', path):
            key = tuple(s['frames'])
            if key not in stacks:
                stacks[key] = tuple(i for i in key
                                    if not self.frames[i]['filename'].endswith(INTERNAL))
            time = max(s['timestamp_us'] - self.info['start_us'], 0)
            samples = self.threads.setdefault((s['thread_id'], s['interpreter_id']), [])
            if samples and time < samples[-1][0]:
                time = samples[-1][0]
            samples.append((time, s['status'], stacks[key]))
        self.period = max(self.info['interval_us'], 1)
        statistics = self.info['statistics']
        if statistics and statistics['sample_rate'] > 0:
            self.period = max(self.period, int(1e6 / statistics['sample_rate']))
        statuses = {s[1] for samples in self.threads.values() for s in samples}
        self.has_gil = any(status & (HAS_GIL | REQUESTED) for status in statuses)
        self.has_cpu = self.info['mode'] in ('cpu', 'all') or (
            self.info['mode'] is None and any(status & ON_CPU for status in statuses))
        self.has_gaps = self.info['mode'] in ('cpu', 'gil', 'exception')

    def is_gap(self, start, end):
        return self.has_gaps and end - start > 3 * self.period


class Profile:
    """The output, with its tables checked."""

    def __init__(self, path):
        self.json = json.loads(pathlib.Path(path).read_bytes().decode('utf-8'))
        self.meta = self.json['meta']
        shared = self.json['shared']
        self.strings = shared['stringArray']
        lengths = {name: self.check_table(shared[name]) for name in (
            'stackTable', 'frameTable', 'funcTable', 'sources', 'resourceTable', 'nativeSymbols',
            'sourceLocationTable')}
        self.stacks, self.frames = shared['stackTable'], shared['frameTable']
        self.funcs, self.sources = shared['funcTable'], shared['sources']
        indices = (
            (self.stacks['frame'], lengths['frameTable']),
            (self.frames['func'], lengths['funcTable']),
            (self.frames['category'], len(self.meta['categories'])),
            (self.funcs['name'], len(self.strings)),
            ([s for s in self.funcs['source'] if s is not None], lengths['sources']),
            (self.sources['filename'], len(self.strings)))
        for column, limit in indices:
            assert all(0 <= index < limit for index in column)
        assert all(0 <= offset <= row for row, offset in enumerate(self.stacks['prefixOffset']))
        assert self.meta['preprocessedProfileVersion'] == 70 and self.meta['version'] == 32
        assert [c['color'] for c in self.meta['categories']].count('grey') == 1
        self.schemas = {schema['name'] for schema in self.meta['markerSchema']}

    @staticmethod
    def check_table(table):
        for name, column in table.items():
            assert name == 'length' or len(column) == table['length'], name
        return table['length']

    def frame(self, row):
        func = self.frames['func'][row]
        source = self.funcs['source'][func]
        filename = '~' if source is None else self.strings[self.sources['filename'][source]]
        column = self.frames['column'][row]
        return (filename, self.strings[self.funcs['name'][func]], self.frames['line'][row],
                None if column is None else column - 1)

    def stack(self, row):
        """Frames, innermost first."""
        frames = []
        while row is not None:
            frames.append(self.frame(self.stacks['frame'][row]))
            offset = self.stacks['prefixOffset'][row]
            row = row - offset if offset else None
        return frames


def expected_frame(frame):
    unknown = frame['line'] == -1
    return (frame['filename'], frame['function'], None if unknown else frame['line'],
            None if frame['column'] == -1 else frame['column'])


def category_of(capture, stack, status):
    """The name of the category that the timeline must show."""
    leaf = capture.frames[stack[0]]
    kind = 'Python'
    if leaf['filename'] == '~':
        kind = {'<GC>': 'GC', '<native>': 'Native'}.get(leaf['function'], 'Other')
    if not capture.has_gil or status & HAS_GIL or kind == 'GC':
        return kind
    if status & REQUESTED:
        return 'Waiting for GIL'
    return 'Without GIL' if kind == 'Python' else kind


def check_samples(capture, profile, samples, table):
    assert Profile.check_table({k: v for k, v in table.items()
                                if k not in ('weight', 'weightType')}) == table['length']
    assert ('threadCPUDelta' in table) == capture.has_cpu
    times, time = [], 0
    for delta in table['timeDeltas']:
        assert delta >= 0
        time += round(delta * 1000)
        times.append(time)
    rows = iter(range(table['length']))
    categories = [c['name'] for c in profile.meta['categories']]
    decoded = {}
    last = None
    for time, status, stack in samples:
        if last is not None and capture.is_gap(last, time):
            for expected in (last + capture.period, time - capture.period):
                row = next(rows)
                assert table['stack'][row] is None and times[row] == expected
        row = next(rows)
        assert times[row] == time, (times[row], time)
        index = table['stack'][row]
        if index not in decoded:
            decoded[index] = profile.stack(index)
        assert decoded[index] == [expected_frame(capture.frames[i]) for i in stack]
        if stack:
            category = profile.frames['category'][profile.stacks['frame'][index]]
            assert categories[category] == category_of(capture, stack, status)
        if capture.has_cpu:
            cpu = table['threadCPUDelta'][row]
            before = times[row - 1] if row else 0
            assert cpu == (None if status & UNKNOWN else
                           time - before if status & ON_CPU else 0)
        last = time
    assert next(rows, None) is None


def expected_markers(capture, samples):
    """Intervals by the definition: maximal runs of samples in a state, without gaps inside."""
    markers = collections.Counter()
    states = {
        'Has GIL': lambda status, stack: bool(status & HAS_GIL),
        'Waiting for GIL': lambda status, stack: bool(status & REQUESTED)
        and not status & HAS_GIL,
        'On CPU': lambda status, stack: capture.has_cpu and bool(status & ON_CPU),
        'Handling exception': lambda status, stack: bool(status & EXCEPTION),
        'GC': lambda status, stack: any(is_gc(capture.frames[i]) for i in stack),
        'Opcode': lambda status, stack: stack[0]
        if stack and capture.frames[stack[0]]['opcode'] is not None else False,
    }
    for name, state_of in states.items():
        start, current, last = None, False, None
        for time, status, stack in samples:
            state = state_of(status, stack)
            gap = last is not None and capture.is_gap(last, time)
            if current is not False and (gap or state is not current and state != current
                                         or type(state) is not type(current)):
                markers[name, start, last + capture.period if gap else time] += 1
                current = False
            if current is False and state is not False:
                start, current = time, state
            last = time
        if current is not False:
            markers[name, start, last + capture.period] += 1
    return markers


def check_markers(capture, profile, samples, table):
    Profile.check_table(table)
    found = collections.Counter()
    for row in range(table['length']):
        name = profile.strings[table['name'][row]]
        assert table['data'][row]['type'] == name and name in profile.schemas
        assert table['phase'][row] == 1
        found[name, round(table['startTime'][row] * 1000), round(table['endTime'][row] * 1000)] += 1
    assert found == expected_markers(capture, samples)


def check_threads(capture, profile):
    with_frames = [key for key, samples in capture.threads.items() if any(s[2] for s in samples)]
    is_main = {key: any(s[1] & MAIN for s in capture.threads[key]) for key in with_frames}
    expected = sorted(with_frames, key=lambda key: not is_main[key])
    several = len({interpreter for _, interpreter in capture.threads}) > 1
    assert len(profile.json['threads']) == len(expected)
    for (tid, interpreter), thread in zip(expected, profile.json['threads']):
        assert int(thread['tid']) == tid
        assert thread['isMainThread'] == is_main[tid, interpreter]
        name = 'MainThread' if thread['isMainThread'] else f'Thread {tid}'
        assert thread['name'] == name + (f' (interpreter {interpreter})' if several else '')
        samples = capture.threads[tid, interpreter]
        check_samples(capture, profile, samples, thread['samples'])
        check_markers(capture, profile, samples, thread['markers'])
    visible = profile.meta['initialVisibleThreads']
    assert len(visible) == min(len(expected), 15) and len(set(visible)) == len(visible)
    assert not expected or 0 in visible


def check_meta(capture, profile):
    assert profile.meta['interval'] == capture.info['interval_us'] / 1000
    entries = {e['label']: e['value'] for e in profile.meta['extra'][0]['entries']}
    assert entries['Mode'] == (capture.info['mode'] or 'unknown')
    statistics = capture.info['statistics']
    assert (entries['Duration'] == 'unknown') == (statistics is None)
    if statistics and statistics['failed_percent'] is not None:
        assert entries['Error rate'] == f'{statistics["failed_percent"]:.2f} %'
    last = [samples[-1][0] for samples in capture.threads.values()]
    if last:
        assert round(profile.meta['profilingEndTime'] * 1000) == max(last) + capture.period


def check(path, directory):
    output = os.path.join(directory, 'profile.json')
    subprocess.run([CONVERT, '-q', '-o', output, path], check=True)
    subprocess.run([CONVERT, '-q', '-o', output + '.gz', path], check=True)
    assert gzip.decompress(pathlib.Path(output + '.gz').read_bytes()) == \
        pathlib.Path(output).read_bytes()
    capture, profile = Capture(path), Profile(output)
    check_meta(capture, profile)
    check_threads(capture, profile)


def main():
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as directory:
        for path in sorted(pathlib.Path(CAPTURES).glob('*.bin')):
            info, = dump('--info', path)
            if 'BINPROF_NO_ZSTD' in os.environ and info['compression'] == 'zstd' or \
                    path.name == 'large.bin' and 'BINPROF_TEST_LARGE' not in os.environ:
                skipped += 1
                continue
            try:
                check(path, directory)
                passed += 1
            except AssertionError as error:
                failed += 1
                frame = error.__traceback__
                while frame.tb_next:
                    frame = frame.tb_next
                print(f'{path.name}: line {frame.tb_lineno}: {error}')
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    assert passed > 7
    return failed > 0


sys.exit(main())
