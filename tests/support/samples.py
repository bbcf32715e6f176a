"""Samples of captures and what a choice makes of them, for tests that compare outputs with sums.

Written from the documentation (include/binprof/filter.h, profile/paths.h and the tools' help); it
aims to be plain, not fast, and shares nothing with the library but the reading of captures through
binprof-dump.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
from fractions import Fraction
from typing import NamedTuple, Optional

STATUSES = {'has-gil': 1, 'on-cpu': 2, 'unknown': 4, 'gil-requested': 8, 'exception': 16,
            'main-thread': 32}
HAS_GIL, ON_CPU, MAIN_THREAD = 1, 2, 32
INTERNAL = '_sync_coordinator.py'
WITHOUT_ZSTD = 'BINPROF_NO_ZSTD' in os.environ
WITH_LARGE = 'BINPROF_TEST_LARGE' in os.environ


def dump_json(dump, view, path):
    """The rows of a view of binprof-dump."""
    result = subprocess.run([dump, view, '--json', path], capture_output=True, check=True)
    return [json.loads(line) for line in result.stdout.decode().split('\n')[:-1]]


class Frame(NamedTuple):
    file: str
    function: str
    line: int = -1
    end_line: int = -1
    column: int = -1
    end_column: int = -1
    opcode: Optional[int] = None
    is_internal: bool = False  # the profiler's own
    is_code: bool = True       # not <native>, <GC> and the like

    def position(self):
        return (self.line, self.end_line, self.column, self.end_column, self.opcode)


class Sample(NamedTuple):
    thread: int
    interpreter: int
    time: int  # as the capture has it
    status: int
    stack: int  # number of a stack in the capture or the selection
    capture: int = 0
    since: int = 0  # since the start of its own capture, not before


class Capture:
    """A capture; a stack is a tuple of frames, innermost first."""

    def __init__(self, dump, path, name=None):
        self.path = str(path)
        self.name = name or pathlib.Path(path).name
        self.info, = dump_json(dump, '--info', path)
        self.start = self.info['start_us']
        self.frames = [
            Frame(f['filename'], f['function'], f['line'], f['end_line'], f['column'],
                  f['end_column'], f['opcode'], f['filename'].endswith(INTERNAL),
                  f['filename'] != '~')
            for f in dump_json(dump, '--frames', path)]
        numbers, self.stacks, self.samples = {}, [], []
        for s in dump_json(dump, '--samples', path):
            key = tuple(s['frames'])
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(self.stacks)
                self.stacks.append(tuple(self.frames[i] for i in key))
            time = s['timestamp_us']
            passed = (time - self.start) % 2 ** 64  # a clock that runs backwards goes around
            self.samples.append(Sample(s['thread_id'], s['interpreter_id'], time, s['status'],
                                       number, 0, passed if passed < 2 ** 63 else 0))
        self.last = max((s.since for s in self.samples), default=0)


def module_name(path):
    """What import calls the module of a file, as far as the path tells."""
    if not path or path[0] in '~<':
        return path
    parts = re.split(r'[/\\]', path)
    start = 0
    for i, part in enumerate(parts[:-1]):
        below = any(parts[i + 1:])  # something is left to be a name
        if below and (part in ('site-packages', 'dist-packages')
                      or re.match(r'python[0-9]', part)):
            start = i + 1
    if start == 0 and re.match(r'[/\\]|.:[/\\]', path, re.DOTALL):
        start = len(parts) - 1
        if parts[-1] in ('__init__.py', '__main__.py') and start > 1:
            start -= 1
    elif start == 0 and parts[0] == '.' and len(parts) > 1:
        start = 1
    name = '.'.join(parts[start:])
    if name.endswith('.py') and name != '.py':
        name = name[:-3]
    if name.endswith('.__init__') and name != '.__init__':
        name = name[:-9]
    return name


def base_name(path):
    return path.rpartition('/')[2]


class Pattern:
    """A POSIX regular expression, of those that Python reads in the same way."""

    def __init__(self, text):
        self.regex = re.compile(re.sub(r'\$', r'\\Z', text), re.DOTALL)

    def matches(self, frame):
        file, function = frame.file.replace('\0', ' '), frame.function.replace('\0', ' ')
        return any(self.regex.search(text) for text in (function, file, f'{file}:{function}'))


def moment_us(text, capture):
    """A time of --from or --to in a capture."""
    number, unit = re.fullmatch(r'([0-9.]+)(s|ms|us|µs|%)', text).groups()
    value = Fraction(number)
    if unit != '%':
        return round(value * {'s': 1000000, 'ms': 1000}.get(unit, 1))
    if value == 100:
        return 2 ** 64
    return int(capture.last * value / 100)


class Choice:
    """The options of a command line that choose."""

    FLAGS = ('skip-idle', 'collapse-recursion', 'merge-threads')

    def __init__(self, options):
        self.threads, self.interpreters, self.main = set(), set(), False
        self.set = self.clear = 0
        self.start = self.end = self.focus = self.ignore = self.trim = None
        self.by = self.paths = None
        self.flags = set()
        words = iter(options)
        for word in words:
            name = word[2:]
            if name in self.FLAGS:
                self.flags.add(name)
            else:
                self.take(name, next(words))

    def take(self, name, value):
        if name == 'thread':
            if value == 'main':
                self.main = True
            else:
                self.threads.add(int(value))
        elif name == 'interpreter':
            self.interpreters.add(int(value))
        elif name == 'status':
            for status in value.split(','):
                if status.startswith('!'):
                    self.clear |= STATUSES[status[1:]]
                else:
                    self.set |= STATUSES[status]
        elif name in ('by', 'paths'):
            setattr(self, name, value)
        else:
            where = {'from': 'start', 'to': 'end', 'trim-root': 'trim'}.get(name, name)
            setattr(self, where, value if name in ('from', 'to') else Pattern(value))

    def takes_sample(self, sample, start, end):
        if self.interpreters and sample.interpreter not in self.interpreters:
            return False
        if (self.threads or self.main) and sample.thread not in self.threads and not (
                self.main and sample.status & MAIN_THREAD):
            return False
        if sample.status & self.set != self.set or sample.status & self.clear:
            return False
        if 'skip-idle' in self.flags and not sample.status & (HAS_GIL | ON_CPU):
            return False
        return (start is None or sample.since >= start) and (end is None or sample.since < end)

    def takes_stack(self, stack):
        if self.focus and not any(map(self.focus.matches, stack)):
            return False
        return not (self.ignore and any(map(self.ignore.matches, stack)))

    def frame(self, frame):
        """What is left of a frame. The profiler's own file keeps its name."""
        if self.paths == 'base' and not frame.is_internal:
            frame = frame._replace(file=base_name(frame.file))
        elif self.paths == 'module' and not frame.is_internal:
            frame = frame._replace(file=module_name(frame.file))
        if self.by in ('file', 'function', 'line'):
            line = frame.line if self.by == 'line' else -1
            frame = Frame(frame.file, frame.function, line, line, is_internal=frame.is_internal,
                          is_code=frame.is_code)
        if self.by == 'file' and frame.is_code:
            frame = frame._replace(function='')
        return frame

    def stack(self, stack):
        """What is left of a stack."""
        stack = list(stack)
        if self.trim:
            matching = [i for i, frame in enumerate(stack) if self.trim.matches(frame)]
            if matching:
                del stack[matching[-1] + 1:]
        stack = list(map(self.frame, stack))
        if 'collapse-recursion' in self.flags:
            stack = [frame for i, frame in enumerate(stack)
                     if i == 0 or (frame.file, frame.function) !=
                     (stack[i - 1].file, stack[i - 1].function)]
        return tuple(stack)


class Selection:
    """The chosen samples of captures, with stacks as the choice makes them."""

    def __init__(self, captures, options):
        self.captures, self.choice = captures, Choice(options)
        self.stacks, self.samples = [], []
        self.numbers = {}
        for number, capture in enumerate(captures):
            self.add(number, capture)

    def add(self, number, capture):
        choice = self.choice
        start, end = (None if text is None else moment_us(text, capture)
                      for text in (choice.start, choice.end))
        mapped = [self.number_of(choice.stack(stack)) if choice.takes_stack(stack) else None
                  for stack in capture.stacks]
        shift = self.captures[0].start - capture.start
        for s in capture.samples:
            if mapped[s.stack] is None or not choice.takes_sample(s, start, end):
                continue
            thread, interpreter = s.thread, s.interpreter
            if 'merge-threads' in choice.flags:
                thread = interpreter = 0
            self.samples.append(Sample(thread, interpreter, (s.time + shift) % 2 ** 64, s.status,
                                       mapped[s.stack], number, s.since))

    def number_of(self, stack):
        if stack not in self.numbers:
            self.numbers[stack] = len(self.stacks)
            self.stacks.append(stack)
        return self.numbers[stack]

    def counts(self):
        """Samples by (capture, thread, interpreter, stack's number)."""
        return collections.Counter((s.capture, s.thread, s.interpreter, s.stack)
                                   for s in self.samples)


def visible(stack):
    """A stack without the profiler's own frames."""
    return tuple(frame for frame in stack if not frame.is_internal)


def printable(text):
    """A name as collapsed stacks print it."""
    return re.sub(r'[\0-\x1f\x7f-\x9f]', ' ', text.replace(';', ':'))


def capture_names(paths):
    """What several captures are called: base names, where these clash paths, then numbers."""
    bases = [base_name(path) for path in paths]
    names = []
    for i, path in enumerate(paths):
        if bases.count(bases[i]) == 1:
            names.append(bases[i])
        else:
            same = paths[:i].count(path)
            names.append(f'{path} ({same + 1})' if same else path)
    return names


class Checks:
    """Runs checks, prints those that fail and counts."""

    def __init__(self):
        self.passed = self.failed = 0

    def run(self, name, function, *arguments):
        try:
            function(*arguments)
            self.passed += 1
        except subprocess.CalledProcessError as error:
            self.fail(name, f'exit status {error.returncode}: '
                            f'{(error.stderr or b"").decode(errors="replace").strip()[:2000]}')
        except (AssertionError, LookupError, ValueError, TypeError, OSError) as error:
            frame = error.__traceback__
            while frame.tb_next:
                frame = frame.tb_next
            where = f'{pathlib.Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}'
            self.fail(name, f'{where}: {type(error).__name__}: {error}')

    def fail(self, name, reason):
        self.failed += 1
        print(f'FAILED {name}: {reason}', flush=True)

    def finish(self, at_least):
        """Returns the exit status."""
        print(f'{self.passed} passed, {self.failed} failed')
        if self.passed + self.failed < at_least:
            print(f'expected {at_least} checks at least')
            return 1
        return int(self.failed > 0)


def run_groups(*groups):
    """Runs groups of checks, two at a time, each with a directory of its own."""
    def run(group):
        with tempfile.TemporaryDirectory() as directory:
            group(directory)

    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        for done in [executor.submit(run, group) for group in groups]:
            done.result()


def difference(found, expected):
    """A short text on how two multisets or dictionaries differ."""
    lines = []
    for key in list(found.keys() | expected.keys()):
        if found.get(key) != expected.get(key):
            lines.append(f'{key!r}: found {found.get(key)}, expected {expected.get(key)}')
    return f'{len(lines)} differ: ' + '; '.join(sorted(lines)[:4])[:1500]


def capture_paths(directory, dump):
    """The captures to be tested, without large.bin."""
    for path in sorted(pathlib.Path(directory).glob('*.bin')):
        if path.name == 'large.bin':
            continue
        info, = dump_json(dump, '--info', path)
        if not (WITHOUT_ZSTD and info['compression'] == 'zstd'):
            yield str(path)
