"""Writes captures of made-up samples, with the second implementation of the format in spec/."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'spec' / 'vectors'))
sys.dont_write_bytecode = True
import make_vectors  # noqa: E402


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def frame(file, function, line=1, end_line=None, column=-1, end_column=-1, opcode=255):
    return make_vectors.Frame(to_bytes(file), to_bytes(function), line,
                              line if end_line is None else end_line, column, end_column, opcode)


def sample(thread, time, stack, status=0, interpreter=0):
    """stack: what frame() takes, innermost first."""
    return make_vectors.Sample(thread, interpreter, time, status,
                               tuple(frame(*item) for item in stack))


def write(path, samples, start=5000, **header):
    """header: as make_vectors.build takes it."""
    writer = make_vectors.Writer(start)
    for item in samples:
        writer.add(item)
    threads = len({(item.thread, item.interpreter) for item in samples})
    data = make_vectors.build(writer.finish(), len(samples), threads, list(writer.strings),
                              list(writer.frames), start=start, **header)
    pathlib.Path(path).write_bytes(data)
