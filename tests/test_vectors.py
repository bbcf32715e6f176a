"""Checks the tools against the specification's vectors: what each good one holds.

Usage: test_vectors.py BINPROF_DUMP BINPROF_CONVERT SPEC_DIRECTORY
(That each bad one is rejected as its text says is checked by test_reader.)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DUMP, CONVERT, SPEC = sys.argv[1:4]
WITHOUT_ZSTD = 'BINPROF_NO_ZSTD' in os.environ
SAMPLE = re.compile(r'sample thread=(\d+) interpreter=(\d+) time=(\d+) status=(\d+) stack=(\S+)'
                    r'(?: times=(\d+))?')


def dump(view, path):
    result = subprocess.run([DUMP, view, '--json', path], capture_output=True, check=True)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def facts_of(path):
    """The header lines of the text form, from --info."""
    info, = dump('--info', path)
    modes = ['wall', 'cpu', 'gil', 'all', 'exception']
    statistics = info['statistics']
    facts = {name: str(info[key]) for name, key in (
        ('revision', 'revision'), ('byte_order', 'byte_order'), ('compression', 'compression'),
        ('python', 'python'), ('start', 'start_us'), ('interval', 'interval_us'),
        ('samples', 'samples'), ('threads', 'threads'), ('strings', 'strings'),
        ('frames', 'frames'))}
    mode = info['mode']
    facts['mode'] = '-1 unknown' if mode is None else \
        f'{modes.index(mode)} {mode}' if mode in modes else None
    facts['features'] = 'unknown' if info['features'] is None else \
        ' '.join(info['features'])
    if statistics is None:
        facts['statistics'] = 'none'
    else:
        number = lambda value: None if value is None else float(value)
        facts['statistics'] = tuple(number(statistics[key]) for key in (
            'duration_s', 'sample_rate', 'failed_percent', 'missed_percent'))
    return facts


def expected_statistics(text):
    if text == 'none':
        return text
    values = dict(item.split('=') for item in text.split())
    return tuple(None if values[key] == 'none' else float(values[key])
                 for key in ('duration', 'rate', 'failed', 'missed'))


def check_facts(lines, path):
    found = facts_of(path)
    for name, value in found.items():
        expected = next(line.split(' ', 1)[1] for line in lines if line.startswith(name + ' '))
        if name == 'statistics':
            expected = expected_statistics(expected)
        if name == 'features' and expected != 'unknown':
            expected = ' '.join(expected.split()[1:])
        if name == 'mode' and value is None:
            assert expected.endswith(' unknown'), expected
            continue
        assert value == expected, (name, value, expected)


def check_tables(lines, path):
    found = [
        f'frame {f["index"]} file={f["filename_index"]} function={f["function_index"]} '
        f'line={f["line"]} end_line={f["end_line"]} column={f["column"]} '
        f'end_column={f["end_column"]} opcode={255 if f["opcode"] is None else f["opcode"]}'
        for f in dump('--frames', path)]
    assert found == [line for line in lines if line.startswith('frame ')]

    def unescape(line):
        text = line.split('"', 1)[1].rsplit('"', 1)[0]
        return re.sub(rb'\\x(..)', lambda m: bytes([int(m[1], 16)]), text.encode())

    strings = [s['text'] for s in dump('--strings', path)]
    assert strings == [unescape(line).decode('utf-8', 'replace') for line in lines
                       if line.startswith('string ')]


def stack_of(text):
    if text == '-':
        return []
    stack = []
    for item in text.split(','):
        frame, _, times = item.partition('*')
        stack += [int(frame)] * int(times or 1)
    return stack


def check_samples(lines, path):
    found = [(s['thread_id'], s['interpreter_id'], s['timestamp_us'], s['status'], s['frames'])
             for s in dump('--samples', path)]
    expected = []
    for match in filter(None, map(SAMPLE.match, lines)):
        numbers = tuple(map(int, match.group(1, 2, 3, 4)))
        expected += [(*numbers, stack_of(match[5]))] * int(match[6] or 1)
    assert found == expected


def check_encoding(lines, path):
    text = next(line for line in lines if line.startswith('encoding '))
    expected = {key: int(value) for key, value in
                (item.split('=') for item in text.split()[1:])}
    found, = dump('--stats', path)
    for key, value in expected.items():
        name = key + '_records' if key in ('repeat', 'full', 'suffix', 'pop_push') else key
        assert found[name] == value, (key, found[name], value)


def check_rewrite(lines, path, directory):
    """A writer that is given the samples again makes the same file, where the text says so."""
    plain = 'compression none' in lines and 'revision wide' in lines and \
        'byte_order little' in lines
    if 'rewrite identical' not in lines or not plain:
        return False
    copy = os.path.join(directory, 'copy.bin')
    subprocess.run([CONVERT, '--binary', '--compression=none', '-q', '-o', copy, path], check=True)
    original = pathlib.Path(path).read_bytes()
    start = int.from_bytes(original[48:56], 'little')
    assert pathlib.Path(copy).read_bytes()[64:start] == original[64:start]
    return True


def main():
    checked = skipped = rewritten = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for text in sorted(pathlib.Path(SPEC, 'vectors').glob('good-*.txt')):
            lines = text.read_text('ascii').splitlines()
            path = str(text.with_suffix('.bin'))
            if WITHOUT_ZSTD and 'compression zstd' in lines:
                skipped += 1
                continue
            try:
                check_facts(lines, path)
                check_tables(lines, path)
                check_samples(lines, path)
                check_encoding(lines, path)
                rewritten += check_rewrite(lines, path, directory)
                checked += 1
            except (AssertionError, subprocess.CalledProcessError) as error:
                print(f'{text.name}: {error!r}')
                failed += 1
    print(f'{checked} passed, {failed} failed, {skipped} skipped')
    assert checked > 20 and rewritten > 5, rewritten
    return failed > 0


sys.exit(main())
