"""What run-cpython.sh asks of CPython's own profiler. Runs under CPython 3.15, standard library only.

    cpython.py probe                            exit 0 if this Python can write and read captures
    cpython.py decode CAPTURE                   every sample, one JSON object a line, frames resolved
    cpython.py compare CAPTURE SAMPLES FRAMES STRINGS
                                                the samples that CPython reads from CAPTURE are those of binprof-dump
    cpython.py collapse CAPTURE OUT             `replay --collapsed`
    cpython.py reencode CAPTURE OUT             CPython's reader into CPython's writer, not compressed
    cpython.py same COPY WANTED                 the same file, but for names that are no UTF-8 (see there)
    cpython.py generate SEED DIR                made-up samples through CPython's writer: DIR/plain.bin, DIR/zstd.bin
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import _remote_debugging as rd

NONE, ZSTD = 0, 1
HEADER_SIZE, FOOTER_SIZE = 64, 32
HEADER_PYTHON_VERSION = slice(8, 12)
HEADER_OFFSETS = slice(40, 56)
MAX_REPORTED = 5


# --- reading -------------------------------------------------------------------------------------------------------


class EachRun:
    """A collector that hands every run on: one thread, one stack, one status, any number of timestamps."""

    def __init__(self, consume):
        self.consume = consume

    def collect(self, stack_frames, timestamps_us):
        self.consume(stack_frames, timestamps_us)


def replay(capture, consume):
    with rd.BinaryReader(capture) as reader:
        return reader.replay(EachRun(consume))


def info_of(capture):
    with rd.BinaryReader(capture) as reader:
        return reader.get_info()


def only_thread(stack_frames):
    (interpreter,) = stack_frames
    (thread,) = interpreter.threads
    return interpreter.interpreter_id, thread


def frame_row(frame):
    """The 7-tuple of the frame table: -1 where there is no line or column, null for no opcode."""
    filename, location, function, opcode = frame
    return [filename, function, *(location or (-1, -1, -1, -1)), opcode]


def decode(capture):
    def consume(stack_frames, timestamps):
        interpreter_id, thread = only_thread(stack_frames)
        frames = [frame_row(frame) for frame in thread.frame_info]
        for timestamp in timestamps:
            print(json.dumps({"thread_id": thread.thread_id, "interpreter_id": interpreter_id,
                              "timestamp_us": timestamp, "status": thread.status, "frames": frames}))

    replay(capture, consume)


# --- comparing with binprof-dump -----------------------------------------------------------------------------------


def json_lines(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class DumpedFrames:
    """Frame indices → frames as CPython's reader gives them, from what binprof-dump says of both tables."""

    def __init__(self, frames_path, strings_path):
        strings = [entry["text"] for entry in json_lines(strings_path)]
        self.frames = [self.frame(entry, strings) for entry in json_lines(frames_path)]
        self.stacks = {}

    @staticmethod
    def frame(entry, strings):
        filename, function = strings[entry["filename_index"]], strings[entry["function_index"]]
        if (filename, function) != (entry["filename"], entry["function"]):
            sys.exit(f"the frame table shows other names than the string table has: {entry}")
        location = entry["line"], entry["end_line"], entry["column"], entry["end_column"]
        return filename, None if location[0] == -1 else location, function, entry["opcode"]

    def stack(self, indices):
        key = tuple(indices)
        stack = self.stacks.get(key)
        if stack is None:
            stack = self.stacks[key] = [self.frames[index] for index in indices]
        return stack


class Comparison:
    """Walks through both decodings side by side, both in the order of the file."""

    def __init__(self, samples_path, dumped_frames):
        self.theirs = json_lines(samples_path)
        self.dumped_frames = dumped_frames
        self.samples = 0
        self.differences = 0

    def differ(self, message):
        self.differences += 1
        if self.differences <= MAX_REPORTED:
            print(f"sample {self.samples}: {message}")

    def consume(self, stack_frames, timestamps):
        interpreter_id, thread = only_thread(stack_frames)
        for timestamp in timestamps:
            expected = thread.thread_id, interpreter_id, timestamp, thread.status
            sample = next(self.theirs, None)
            if sample is None:
                self.differ(f"missing in binprof-dump: {expected}")
                continue
            got = sample["thread_id"], sample["interpreter_id"], sample["timestamp_us"], sample["status"]
            if got != expected:
                self.differ(f"thread, interpreter, time and status are {got}, and to CPython {expected}")
            stack = self.dumped_frames.stack(sample["frames"])
            if stack != thread.frame_info:
                self.differ(f"the stack is {stack[:3]}…, and to CPython {thread.frame_info[:3]}…")
            self.samples += 1

    def end(self):
        left = sum(1 for _ in self.theirs)
        if left:
            self.differ(f"{left} samples of binprof-dump are none to CPython")


def compare(capture, samples_path, frames_path, strings_path):
    comparison = Comparison(samples_path, DumpedFrames(frames_path, strings_path))
    replay(capture, comparison.consume)
    comparison.end()
    if comparison.differences:
        sys.exit(f"{comparison.differences} differences in {capture}")


# --- converting ----------------------------------------------------------------------------------------------------


def collapse(capture, out):
    result = subprocess.run([sys.executable, "-m", "profiling.sampling", "replay", "--collapsed", "-o", out, capture],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0 or not os.path.exists(out):
        sys.exit(result.stdout[-2000:])


def writer_like(info, out, compression):
    """A writer with the facts of `info`, which is what BinaryReader.get_info() says of a capture."""
    def known(value):
        return -1 if value is None else value

    writer = rd.BinaryWriter(out, info["sample_interval_us"], info["start_time_us"], compression=compression,
                             mode=known(info["mode"]), capture_features=known(info["capture_features"]))
    if info["duration_sec"] is not None:
        writer.set_stats(info["duration_sec"], info["sample_rate"], info["error_rate"], info["missed_samples"])
    return writer


def reencode(capture, out):
    """Writes the samples of `capture` with CPython's writer, not compressed, in the order of the file.

    A reader gives the samples in the order of their records, and a repeat comes after all that other threads did while
    it was pending: the order in which the samples were taken is lost. What a writer makes of the file's order is still
    the original file, byte for byte, because a pending repeat is written just before its thread's next change, which is
    the record that follows it, and strings and frames are met in new stacks only, whose order is kept.

    Two things are not restored, so that records change places in the second writing:

    - A full repeat is written when its thread's next sample comes. Other threads' records stand between the two in the
      file, and so overtake it.
    - A thread whose first samples have no frames starts with a repeat, and so comes later in the file than it was met.
      The last repeats are written in the order in which the threads were met.

    Sorting by time would not help: time may run backwards, and all threads seen in one look at the process share a time.

    The header tells the Python that wrote the capture; here it is the original's, which a converter keeps.
    """
    writer = writer_like(info_of(capture), out, NONE)

    def consume(stack_frames, timestamps):
        for timestamp in timestamps:
            writer.write_sample(stack_frames, timestamp)

    replay(capture, consume)
    writer.finalize()
    keep_python_version(capture, out)


def keep_python_version(original, copy):
    with open(original, "rb") as source, open(copy, "r+b") as target:
        target.seek(HEADER_PYTHON_VERSION.start)
        target.write(source.read(HEADER_PYTHON_VERSION.stop)[HEADER_PYTHON_VERSION])


def read_strings(table, count):
    strings, position = [], 0
    for _ in range(count):
        length = shift = 0
        while True:
            byte = table[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        strings.append(table[position:position + length].decode("utf-8", "replace"))
        position += length
    return strings, table[position:]


def sections(path):
    """Everything in a capture of this machine's byte order, with names as text and without offsets and sizes."""
    with open(path, "rb") as capture:
        content = capture.read()
    header, footer = content[:HEADER_SIZE], content[-FOOTER_SIZE:]
    strings_at, frames_at = struct.unpack("=2Q", header[HEADER_OFFSETS])
    string_count, frame_count, size, checksum = struct.unpack("=IIQ16s", footer)
    strings, rest = read_strings(content[strings_at:frames_at], string_count)
    return {
        "header": (header[:HEADER_OFFSETS.start], header[HEADER_OFFSETS.stop:]),
        "sample data": content[HEADER_SIZE:strings_at],
        "strings": strings,
        "end of the string table": rest,
        "frames and statistics": content[frames_at:-FOOTER_SIZE],
        "footer": (frame_count, size == len(content), checksum),
    }


def same(copy, wanted):
    """A sampler that reads a running process brings a few names that are no UTF-8. They are U+FFFD to CPython's reader,
    and so they are when it writes them again; a converter that knows better keeps their bytes."""
    got, expected = sections(copy), sections(wanted)
    different = [name for name in expected if got[name] != expected[name]]
    if different:
        sys.exit(f"{copy} differs from {wanted} in: {', '.join(different)}")


# --- made-up samples -----------------------------------------------------------------------------------------------

INT32 = -2**31, 2**31 - 1
UINT64_MAX = 2**64 - 1
NAMES = ["", "f", "<module>", "Class.method.<locals>.<lambda>", "naïve", "計算", "δ;ε", "a b\tc", "nul\0nul", "line\nline",
         "\U0001f40d", "x" * 127, "y" * 128, "z" * 20000]
NATIVE = [("~", None, "<native>", None), ("~", None, "<GC>", None)]


class Sequence:
    """Seeded made-up samples. Every seed has its own taste in threads, depths, repeats, times and field values."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.starts_empty = seed % 5 == 0
        self.wild_times = rng.random() < 0.4
        self.long_repeats = seed % 4 == 1
        self.deepest = rng.choice([3, 12, 60, 255, 256, 257, 300])
        self.repeat_chance = rng.choice([0.0, 0.3, 0.8, 0.97])
        self.ticks = 9000 if self.long_repeats else rng.choice([1, 40, 400])
        self.pool = self.make_frames(rng.choice([1, 5, 130, 700]))
        self.interpreters = self.make_threads()
        self.stacks = {}
        self.time = self.start = rng.choice([0, 5000, rng.getrandbits(40), UINT64_MAX - rng.getrandbits(20)])

    def info(self):
        rng = self.rng
        measured = rng.random() < 0.7
        recorded = rng.random() < 0.7
        return {
            "sample_interval_us": rng.choice([1, 100, 1000, 2**63]),
            "start_time_us": self.start,
            "mode": rng.choice([None, 0, 1, 2, 3, 4]) if recorded else None,
            "capture_features": rng.choice([None, 0, rng.randrange(32), 31]) if recorded else None,
            "duration_sec": rng.uniform(0, 1e4) if measured else None,
            "sample_rate": rng.uniform(0, 1e6),
            "error_rate": rng.choice([None, 0.0, rng.uniform(0, 100)]),
            "missed_samples": rng.choice([None, 0.0, rng.uniform(0, 100)]),
        }

    def make_location(self):
        """What survives a reading: a frame whose line or column is -1 has no end of it either."""
        rng = self.rng
        if rng.random() < 0.15:
            return None
        edges = [0, 1, -2, 63, 64, -64, -65, 8191, 8192, *INT32]

        def pair(plausible):
            base = rng.choice(edges) if rng.random() < 0.2 else rng.randrange(plausible)
            end = rng.choice(edges) if rng.random() < 0.2 else min(base + rng.randrange(4), INT32[1])
            return base, base if end == -1 else end

        line, end_line = pair(2000)
        column, end_column = (-1, -1) if rng.random() < 0.1 else pair(120)
        return rd.LocationInfo((line, end_line, column, end_column))

    def make_name(self, kind):
        rng = self.rng
        return rng.choice(NAMES) if rng.random() < 0.2 else f"{kind}{rng.randrange(40)}"

    def make_frames(self, count):
        rng = self.rng
        frames = [rd.FrameInfo(frame) for frame in NATIVE] if rng.random() < 0.5 else []
        for _ in range(count):
            opcode = None if rng.random() < 0.6 else rng.choice([0, 1, 254, rng.randrange(255)])
            frames.append(rd.FrameInfo((self.make_name("/srv/app/m"), self.make_location(), self.make_name("f"), opcode)))
        return frames

    def make_threads(self):
        rng = self.rng
        ids = [0, 1, UINT64_MAX, 2**63, *(rng.getrandbits(rng.choice([17, 47, 64])) for _ in range(30))]
        count = rng.choice([1, 2, 3]) if self.long_repeats else rng.choice([1, 3, 20])
        interpreters = {}
        for _ in range(count):
            interpreter = rng.choice([0, 0, 0, 1, 7, 2**32 - 1])
            threads = interpreters.setdefault(interpreter, [])
            thread = rng.choice(ids)
            if thread not in threads:
                threads.append(thread)
        return interpreters

    def next_stack(self, thread):
        rng = self.rng
        old = self.stacks.get(thread)
        if old is None:
            if self.starts_empty and rng.random() < 0.5:
                return []
            return rng.choices(self.pool, k=rng.randint(1, self.deepest))
        if self.long_repeats and rng.random() < 0.9995 or rng.random() < self.repeat_chance:
            return old
        move = rng.randrange(6)
        if move == 0:
            return rng.choices(self.pool, k=rng.randint(0, self.deepest))
        if move == 1:
            return []
        # A few steps are more like a program than a jump anywhere; one in three goes far.
        step = self.deepest if rng.random() < 0.3 else 4
        popped = rng.randint(0, min(step, len(old))) if move != 2 else 0
        pushed = rng.randint(0, step) if move != 3 else 0
        return (rng.choices(self.pool, k=pushed) + old[popped:])[-max(self.deepest, 1):]

    def next_time(self):
        rng = self.rng
        if self.wild_times and rng.random() < 0.2:
            self.time = rng.choice([0, UINT64_MAX, self.time - rng.randrange(5000), self.time + rng.getrandbits(50)])
        else:
            self.time += rng.randrange(3000)
        self.time = max(0, min(self.time, UINT64_MAX))
        return self.time

    def next_look(self):
        """One look at the process: any part of its threads, each with its stack."""
        rng = self.rng
        look = []
        for interpreter, threads in self.interpreters.items():
            seen = []
            for thread in threads:
                if rng.random() < 0.15:
                    continue
                stack = self.stacks[interpreter, thread] = self.next_stack((interpreter, thread))
                status = rng.randrange(256) if rng.random() < 0.05 else rng.choice([1, 3, 32, 33, 36])
                seen.append(rd.ThreadInfo((thread, status, stack)))
            look.append(rd.InterpreterInfo((interpreter, seen)))
        return look


def generate(seed, folder):
    sequence = Sequence(seed)
    info = sequence.info()
    writers = [writer_like(info, os.path.join(folder, "plain.bin"), NONE),
               writer_like(info, os.path.join(folder, "zstd.bin"), ZSTD)]
    for _ in range(sequence.ticks):
        look, timestamp = sequence.next_look(), sequence.next_time()
        for writer in writers:
            writer.write_sample(look, timestamp)
    for writer in writers:
        writer.finalize()


# --- the command line ----------------------------------------------------------------------------------------------


def probe():
    import profiling.sampling.binary_collector  # noqa: F401  (its being there is the test)

    if not rd.zstd_available():
        sys.exit("CPython was built without zstd")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.bin")
        writer = rd.BinaryWriter(path, 1000, 0, compression=ZSTD)
        frame = rd.FrameInfo(("a.py", rd.LocationInfo((1, 1, 0, 1)), "f", None))
        writer.write_sample([rd.InterpreterInfo((0, [rd.ThreadInfo((1, 1, [frame]))]))], 5)
        writer.finalize()
        with open(path, "rb") as capture:
            (magic,) = struct.unpack("=I", capture.read(4))
        if magic != 0x54414348 or info_of(path)["sample_count"] != 1:
            sys.exit("CPython does not read what it wrote")


COMMANDS = {
    "probe": (probe,),
    "decode": (decode, str),
    "compare": (compare, str, str, str, str),
    "collapse": (collapse, str, str),
    "reencode": (reencode, str, str),
    "same": (same, str, str),
    "generate": (generate, int, str),
}


def main(arguments):
    name, *values = arguments or [""]
    command, *types = COMMANDS.get(name, (None,))
    if command is None or len(values) != len(types):
        sys.exit(__doc__)
    command(*(convert(value) for convert, value in zip(types, values)))


if __name__ == "__main__":
    main(sys.argv[1:])
