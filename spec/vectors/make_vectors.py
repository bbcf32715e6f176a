#!/usr/bin/env python3
"""Makes, checks and reads test vectors for the capture format of ../capture-format.md.

    make_vectors.py [DIR]            write the vectors and the list in README.md (here by default)
    make_vectors.py --check [DIR]    exit with 1 where a file in DIR is not what would be written, or
                                     an example in ../capture-format.md is not in its vector
    make_vectors.py --decode FILE    print a capture in the text form of the vectors
    make_vectors.py --cpython [DIR]  exit with 1 where the profiler of the Python that runs this
                                     (3.15 or later) does not do with a vector what its text says

This is a second implementation of the format, written from the specification alone. It shares no
code with the library, and within it the decoder shares none with the encoder, so that a mistake has
to be made twice to go unnoticed. It aims to be read, not to be fast.

Python 3.9 or later, standard library only. Compressed zstd blocks are read through the `zstd`
command; the vectors have raw and run-length blocks only and do not need it.
"""

import argparse
import math
import pathlib
import re
import struct
import subprocess
import sys
from typing import NamedTuple, Optional

HEADER_SIZE = 64
FOOTER_SIZE = 32
MAGIC = 0x54414348
SIGNATURE = b"TACHSTAT"
MAX_READ_DEPTH = 65536
MAX_WRITTEN_DEPTH = 256
REPEAT_BYTES = 16384
LONGEST_REPEAT_ENTRY = 11
REPEAT, FULL, SUFFIX, POP_PUSH = range(4)
MODES = {-1: "unknown", 0: "wall", 1: "cpu", 2: "gil", 3: "all", 4: "exception"}
FEATURES = ("all_threads", "native", "gc", "opcodes", "blocking")


class Frame(NamedTuple):
    """A frame; `file` and `function` are indices into the string table, or bytes for Writer."""

    file: object
    function: object
    line: int = 1
    end_line: int = 1
    column: int = 0
    end_column: int = 0
    opcode: int = 255


class Sample(NamedTuple):
    """One sample; `stack` holds frames or their indices, innermost first."""

    thread: int
    interpreter: int
    time: int
    status: int
    stack: tuple


class Statistics(NamedTuple):
    duration: float
    rate: float
    failed: Optional[float] = None
    missed: Optional[float] = None


# ------------------------------------------------------------------------------------------------
# Encoding
# ------------------------------------------------------------------------------------------------


def varint(value, length=0):
    """LEB128; padded to `length` bytes where that is more than needed."""
    out = bytearray()
    while value > 0x7F or len(out) + 1 < length:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def svarint(value):
    """Zigzag, then LEB128."""
    return varint(2 * value if value >= 0 else -2 * value - 1)


def encode_string(text):
    return varint(len(text)) + text


def encode_frame(frame):
    def distance(start, end):
        if start == -1 or end == -1:
            return 0
        return (end - start + 2**31) % 2**32 - 2**31

    return b"".join(
        (
            varint(frame.file),
            varint(frame.function),
            svarint(frame.line),
            svarint(distance(frame.line, frame.end_line)),
            svarint(frame.column),
            svarint(distance(frame.column, frame.end_column)),
            bytes([frame.opcode]),
        )
    )


class Records:
    """The four kinds of record, in one byte order."""

    def __init__(self, order="<"):
        self.order = order

    def prefix(self, thread, encoding, interpreter=0):
        return struct.pack(self.order + "QIB", thread, interpreter, encoding)

    def repeat(self, thread, entries, interpreter=0, count=None):
        """entries: (delta, status) pairs."""
        count = len(entries) if count is None else count
        body = b"".join(varint(delta) + bytes([status]) for delta, status in entries)
        return self.prefix(thread, REPEAT, interpreter) + varint(count) + body

    def full(self, thread, delta, frames, status=0, interpreter=0):
        return (
            self.prefix(thread, FULL, interpreter)
            + varint(delta)
            + bytes([status])
            + varint(len(frames))
            + b"".join(map(varint, frames))
        )

    def suffix(self, thread, delta, shared, frames, status=0, interpreter=0):
        return (
            self.prefix(thread, SUFFIX, interpreter)
            + varint(delta)
            + bytes([status])
            + varint(shared)
            + varint(len(frames))
            + b"".join(map(varint, frames))
        )

    def pop_push(self, thread, delta, pop, frames, status=0, interpreter=0):
        return (
            self.prefix(thread, POP_PUSH, interpreter)
            + varint(delta)
            + bytes([status])
            + varint(pop)
            + varint(len(frames))
            + b"".join(map(varint, frames))
        )


class Table:
    """Entries in the order of first use."""

    def __init__(self):
        self.indices = {}

    def index(self, entry):
        return self.indices.setdefault(entry, len(self.indices))

    def __iter__(self):
        return iter(self.indices)

    def __len__(self):
        return len(self.indices)


class Writer:
    """Samples to sample data and tables, by the rules for writers."""

    class Thread:
        def __init__(self, start):
            self.time = start
            self.stack = ()
            self.repeats = bytearray()
            self.repeat_count = 0

    def __init__(self, start=5000, order="<"):
        self.start = start
        self.records = Records(order)
        self.strings = Table()
        self.frames = Table()
        self.threads = {}
        self.data = bytearray()
        self.samples = 0

    def add(self, sample):
        key = (sample.thread, sample.interpreter)
        thread = self.threads.setdefault(key, self.Thread(self.start))
        stack = tuple(map(self.intern, sample.stack[:MAX_WRITTEN_DEPTH]))
        delta = (sample.time - thread.time) % 2**64
        if stack == thread.stack:
            if len(thread.repeats) + LONGEST_REPEAT_ENTRY > REPEAT_BYTES:
                self.flush(key)
            thread.repeats += varint(delta) + bytes([sample.status])
            thread.repeat_count += 1
        else:
            self.flush(key)
            self.data += self.choose(key, thread.stack, stack, delta, sample.status)
            thread.stack = stack
        thread.time = sample.time
        self.samples += 1

    def intern(self, frame):
        file = self.strings.index(frame.file)
        function = self.strings.index(frame.function)
        return self.frames.index(frame._replace(file=file, function=function))

    def choose(self, key, old, new, delta, status):
        thread, interpreter = key
        shared = 0
        while shared < min(len(old), len(new)) and old[-1 - shared] == new[-1 - shared]:
            shared += 1
        pop = len(old) - shared
        added = new[: len(new) - shared]
        if shared > 0 and pop == 0:
            return self.records.suffix(thread, delta, shared, added, status, interpreter)
        if shared > 0 and shared >= len(new) // 2:
            return self.records.pop_push(thread, delta, pop, added, status, interpreter)
        return self.records.full(thread, delta, new, status, interpreter)

    def flush(self, key):
        thread = self.threads[key]
        if thread.repeat_count > 0:
            self.data += self.records.prefix(key[0], REPEAT, key[1])
            self.data += varint(thread.repeat_count) + thread.repeats
        thread.repeats = bytearray()
        thread.repeat_count = 0

    def finish(self):
        for key in self.threads:
            self.flush(key)
        return bytes(self.data)


def zstd_frame(data=b"", pieces=None, window=0x38, checksum=None):
    """A zstd frame of raw blocks, without content size; (byte, length) stands for a run."""
    pieces = [data] if pieces is None else pieces
    out = bytearray(b"\x28\xb5\x2f\xfd")
    out += bytes([0 if checksum is None else 4, window])
    for i, piece in enumerate(pieces):
        run = isinstance(piece, tuple)
        size = piece[1] if run else len(piece)
        header = int(i == len(pieces) - 1) | int(run) << 1 | size << 3
        out += header.to_bytes(3, "little") + (piece[0] if run else piece)
    return bytes(out) + (checksum or b"")


def zstd_skippable(data, number=0):
    return struct.pack("<II", 0x184D2A50 + number, len(data)) + data


def statistics_block(duration, rate, failed=None, missed=None, extra=b"", order="<", **override):
    presence = (failed is not None) | (missed is not None) << 1
    size = override.get("size", 56 + len(extra))
    return (
        struct.pack(order + "dddd", duration, rate, failed or 0, missed or 0)
        + struct.pack(order + "II", override.get("presence", presence), 0)
        + extra
        + SIGNATURE
        + struct.pack(order + "II", override.get("version", 1), size)
    )


def old_statistics_block(duration, rate, extra=b"", order="<", size=None):
    size = 32 + len(extra) if size is None else size
    return struct.pack(order + "dd", duration, rate) + extra + SIGNATURE + struct.pack(order + "II", 1, size)


STRINGS = (b"a.py", b"f", b"g", b"h")
FRAMES = (Frame(0, 1, 1, 1), Frame(0, 2, 2, 2), Frame(0, 3, 3, 3))


def build(
    data=b"",
    samples=0,
    threads=1,
    strings=STRINGS,
    frames=FRAMES,
    order="<",
    narrow=False,
    magic=MAGIC,
    version=1,
    python=(3, 15, 2, 0),
    start=5000,
    interval=1000,
    compression=0,
    configuration=0,
    string_gap=b"",
    frame_gap=b"",
    statistics=b"",
    string_offset=None,
    frame_offset=None,
    string_count=None,
    frame_count=None,
    file_size=None,
    checksum=bytes(16),
):
    """A capture file. What is not given is filled in as it should be."""
    string_table = b"".join(s if isinstance(s, bytearray) else encode_string(s) for s in strings)
    frame_table = b"".join(f if isinstance(f, bytes) else encode_frame(f) for f in frames)
    at_strings = HEADER_SIZE + len(data)
    at_frames = at_strings + len(string_table) + len(string_gap)
    size = at_frames + len(frame_table) + len(frame_gap) + len(statistics) + FOOTER_SIZE
    header = struct.pack(order + "II4B", magic, version, *python)
    header += struct.pack(order + "QQ", start, interval)
    header += struct.pack(
        order + ("IIQQI" if narrow else "QIQQI"),
        samples,
        threads,
        at_strings if string_offset is None else string_offset,
        at_frames if frame_offset is None else frame_offset,
        compression,
    )
    header += bytes(8) if narrow else struct.pack(order + "I", configuration)
    footer = struct.pack(
        order + "IIQ",
        len(strings) if string_count is None else string_count,
        len(frames) if frame_count is None else frame_count,
        size if file_size is None else file_size,
    )
    return b"".join(
        (header, data, string_table, string_gap, frame_table, frame_gap, statistics, footer, checksum)
    )


def build_written(samples, order="<", **options):
    """A capture of samples (with frames that hold bytes), encoded by Writer."""
    writer = Writer(options.get("start", 5000), order)
    for sample in samples:
        writer.add(sample)
    return build(
        writer.finish(),
        writer.samples,
        len(writer.threads),
        tuple(writer.strings),
        tuple(writer.frames),
        order,
        **options,
    )


# ------------------------------------------------------------------------------------------------
# Decoding
# ------------------------------------------------------------------------------------------------


class CaptureError(Exception):
    """A capture that is to be rejected: `code` and `place` as in the text form."""

    def __init__(self, code, place, message):
        super().__init__(message)
        self.code = code
        self.place = place

    def __str__(self):
        return f"{self.code} at {self.place}: {self.args[0]}"


class Cursor:
    """Reads a piece of the file from its start. `end_code` is the error for going past its end."""

    def __init__(self, data, order, place, end_code):
        self.data = data
        self.order = order
        self.place = place
        self.end_code = end_code
        self.position = 0

    def fail(self, code, message):
        raise CaptureError(code, self.place, message)

    def left(self):
        return len(self.data) - self.position

    def bytes(self, size):
        if size > self.left():
            self.fail(self.end_code, f"ends {size - self.left()} bytes early")
        self.position += size
        return self.data[self.position - size : self.position]

    def fixed(self, form):
        return struct.unpack(self.order + form, self.bytes(struct.calcsize(self.order + form)))

    def byte(self):
        return self.bytes(1)[0]

    def varint(self, limit=2**64):
        value = 0
        for i in range(10):
            byte = self.byte()
            value += (byte % 128) * 128**i
            if byte < 128:
                if value >= limit:
                    self.fail("format", "a varint is too large")
                return value
        self.fail("format", "a varint is too long")

    def int32(self):
        value = self.varint(2**32)
        return value // 2 if value % 2 == 0 else -(value + 1) // 2


class Capture:
    """A decoded capture. Raises CaptureError for a file that a reader must reject."""

    def __init__(self, file):
        self.file = file
        self.read_header()
        self.read_footer()
        self.read_statistics()
        self.read_strings()
        self.read_frames()
        self.read_records()

    def read_header(self):
        file = self.file
        header = file[:HEADER_SIZE]

        def fail(code, message):
            raise CaptureError(code, "header", message)

        if not any(header):
            fail("truncated", "never finished")
        header = header.ljust(HEADER_SIZE, b"\0")
        self.order = {b"HCAT": "<", b"TACH": ">"}.get(header[:4])
        if self.order is None:
            fail("format", "not a capture")
        if len(file) < HEADER_SIZE + FOOTER_SIZE:
            fail("truncated", "no room for header and footer")
        (version,) = struct.unpack_from(self.order + "I", header, 4)
        if version != 1:
            fail("unsupported", f"version {version}")
        self.python = tuple(header[8:11])
        self.start, self.interval = struct.unpack_from(self.order + "QQ", header, 12)
        self.read_layout(header, fail)
        self.zstd = self.compression == 1
        self.mode = self.configuration % 8 - 1
        self.features = self.configuration // 16 % 32 if self.configuration & 8 else None

    def read_layout(self, header, fail):
        """The part that differs between the revisions."""
        wide = struct.unpack_from(self.order + "QIQQII", header, 28)
        narrow = struct.unpack_from(self.order + "IIQQI", header, 28) + (0,)
        last = len(self.file) - FOOTER_SIZE

        def possible(layout):
            return HEADER_SIZE <= layout[2] <= layout[3] <= last

        self.narrow = not possible(wide) and not any(header[56:]) and (
            possible(narrow) or HEADER_SIZE <= narrow[2] < wide[2]
        )
        layout = narrow if self.narrow else wide
        self.sample_count, self.thread_count, at_strings, at_frames = layout[:4]
        self.compression, self.configuration = layout[4:]
        if at_strings < HEADER_SIZE or at_frames < at_strings:
            fail("format", "impossible table offsets")
        if at_frames > last:
            fail("truncated", "the tables lie beyond the end")
        if self.compression > 1:
            fail("unsupported", f"compression {self.compression}")
        self.at_strings, self.at_frames = at_strings, at_frames

    def read_footer(self):
        self.at_footer = len(self.file) - FOOTER_SIZE
        counts = struct.unpack_from(self.order + "IIQ", self.file, self.at_footer)
        self.string_count, self.frame_count, size = counts
        if self.at_frames + FOOTER_SIZE <= size < len(self.file):
            raise CaptureError("format", "footer", "bytes follow the capture")
        if size != len(self.file):
            raise CaptureError("truncated", "footer", "no footer at the end")
        if self.string_count > self.at_frames - self.at_strings:
            raise CaptureError("format", "footer", "more strings than bytes for them")
        if self.frame_count > (self.at_footer - self.at_frames) // 7:
            raise CaptureError("format", "footer", "more frames than bytes for them")

    def read_statistics(self):
        def fail(message):
            raise CaptureError("format", "footer", message)

        self.statistics = None
        self.at_frames_end = self.at_footer
        room = self.file[self.at_frames : self.at_footer]
        if len(room) < 16 or room[-16:-8] != SIGNATURE:
            return
        version, size = struct.unpack(self.order + "II", room[-8:])
        if version != 1:
            return
        if not 32 <= size <= len(room):
            fail(f"statistics of {size} bytes")
        block = room[-size:]
        self.at_frames_end = self.at_footer - size
        duration, rate = struct.unpack_from(self.order + "dd", block)
        failed = missed = None
        if size >= 56:
            failed, missed, presence = struct.unpack_from(self.order + "ddI", block, 16)
            failed = failed if presence & 1 else None
            missed = missed if presence & 2 else None
        self.statistics = Statistics(duration, rate, failed, missed)
        given = [value for value in self.statistics if value is not None]
        if not all(map(math.isfinite, given)) or min(duration, rate, failed or 0) < 0:
            fail("impossible statistics")

    def read_strings(self):
        table = self.file[self.at_strings : self.at_frames]
        cursor = Cursor(table, self.order, "strings", "format")
        self.strings = [cursor.bytes(cursor.varint()) for _ in range(self.string_count)]

    def read_frames(self):
        table = self.file[self.at_frames : self.at_frames_end]
        cursor = Cursor(table, self.order, "frames", "format")
        self.frames = [self.read_frame(cursor) for _ in range(self.frame_count)]

    def read_frame(self, cursor):
        def ending(start, distance):
            return -1 if start == -1 else (start + distance + 2**31) % 2**32 - 2**31

        file, function = cursor.varint(), cursor.varint()
        if max(file, function) >= self.string_count:
            cursor.fail("format", "a frame names a string that is not there")
        line, line_distance = cursor.int32(), cursor.int32()
        column, column_distance = cursor.int32(), cursor.int32()
        opcode = cursor.byte()
        if line == -1:
            return Frame(file, function, -1, -1, -1, -1, opcode)
        end_line = ending(line, line_distance)
        return Frame(file, function, line, end_line, column, ending(column, column_distance), opcode)

    def read_records(self):
        data = self.file[HEADER_SIZE : self.at_strings]
        self.data = decompress(data) if self.zstd else data
        self.samples = []
        self.encoding = dict.fromkeys(
            "repeat full suffix pop_push repeat_samples frames_written frames_saved".split(), 0
        )
        cursor = Cursor(self.data, self.order, "records", "truncated")
        threads = {}
        while cursor.left():
            thread, interpreter, kind = cursor.fixed("QIB")
            if kind > POP_PUSH:
                cursor.fail("format", f"encoding {kind}")
            if (thread, interpreter) not in threads and len(threads) == self.thread_count:
                cursor.fail("format", "more threads than declared")
            state = threads.setdefault((thread, interpreter), [self.start, ()])
            count = 1
            if kind == REPEAT:
                count = cursor.varint()
                if count == 0:
                    cursor.fail("format", "a repeat of nothing")
                if len(self.samples) + count > self.sample_count:
                    cursor.fail("format", "more samples than declared")
            for _ in range(count):
                state[0] = (state[0] + cursor.varint()) % 2**64
                status = cursor.byte()
                if kind != REPEAT:
                    state[1] = self.read_stack(cursor, kind, state[1])
                self.samples.append(Sample(thread, interpreter, state[0], status, state[1]))
            name = ("repeat", "full", "suffix", "pop_push")[kind]
            self.encoding[name] += 1
            if kind == REPEAT:
                self.encoding["repeat_samples"] += count
                self.encoding["frames_saved"] += count * len(state[1])
        if len(self.samples) != self.sample_count:
            cursor.fail("format", "not as many samples as declared")
        self.encoding["data_bytes"] = len(self.data)

    def read_stack(self, cursor, kind, old):
        kept = ()
        if kind == SUFFIX:
            shared = cursor.varint(len(old) + 1)
            kept = old[len(old) - shared :]
        elif kind == POP_PUSH:
            kept = old[cursor.varint(len(old) + 1) :]
        added = cursor.varint()
        if len(kept) + added > MAX_READ_DEPTH:
            cursor.fail("unsupported", f"a stack of {len(kept) + added} frames")
        frames = tuple(cursor.varint(self.frame_count) for _ in range(added))
        self.encoding["frames_written"] += added
        self.encoding["frames_saved"] += len(kept)
        return frames + kept

    def rewritten_alike(self):
        """Whether a writer that is given the samples in order makes the same data and tables."""
        writer = Writer(self.start, self.order)
        for sample in self.samples:
            frames = (self.frames[index] for index in sample.stack)
            stack = tuple(
                frame._replace(file=self.strings[frame.file], function=self.strings[frame.function])
                for frame in frames
            )
            writer.add(sample._replace(stack=stack))
        return (
            writer.finish() == self.data
            and list(writer.strings) == self.strings
            and list(writer.frames) == self.frames
            and b"".join(map(encode_string, self.strings))
            == self.file[self.at_strings : self.at_frames]
            and b"".join(map(encode_frame, self.frames))
            == self.file[self.at_frames : self.at_frames_end]
        )

    def text(self):
        """The lines of the text form, without comments and without the line for CPython."""
        features = "unknown"
        if self.features is not None:
            names = [name for bit, name in enumerate(FEATURES) if self.features >> bit & 1]
            features = " ".join([f"0x{self.features:02x}", *names])
        statistics = "none"
        if self.statistics is not None:
            statistics = " ".join(
                f"{name}={'none' if value is None else repr(value)}"
                for name, value in self.statistics._asdict().items()
            )
        yield f"revision {'narrow' if self.narrow else 'wide'}"
        yield f"byte_order {'little' if self.order == '<' else 'big'}"
        yield f"compression {'zstd' if self.zstd else 'none'}"
        yield "python {}.{}.{}".format(*self.python)
        yield f"start {self.start}"
        yield f"interval {self.interval}"
        yield f"mode {self.mode} {MODES.get(self.mode, 'unknown')}"
        yield f"features {features}"
        yield f"samples {self.sample_count}"
        yield f"threads {self.thread_count}"
        yield f"strings {self.string_count}"
        yield f"frames {self.frame_count}"
        yield f"statistics {statistics}"
        yield "encoding " + " ".join(f"{name}={value}" for name, value in self.encoding.items())
        yield f"rewrite {'identical' if self.rewritten_alike() else 'differs'}"
        for i, string in enumerate(self.strings):
            yield f'string {i} "{escape(string)}"'
        for i, frame in enumerate(self.frames):
            fields = " ".join(f"{name}={value}" for name, value in frame._asdict().items())
            yield f"frame {i} {fields}"
        for sample, times in runs(self.samples):
            yield (
                f"sample thread={sample.thread} interpreter={sample.interpreter} "
                f"time={sample.time} status={sample.status} stack={format_stack(sample.stack)}"
                + (f" times={times}" if times > 1 else "")
            )


def escape(string):
    def one(byte):
        if byte in b'"\\' or not 0x20 <= byte <= 0x7E:
            return f"\\x{byte:02x}"
        return chr(byte)

    return "".join(map(one, string))


def runs(items):
    """(item, how often it comes in a row) for equal neighbours."""
    previous, count = None, 0
    for item in items:
        if count and item == previous:
            count += 1
            continue
        if count:
            yield previous, count
        previous, count = item, 1
    if count:
        yield previous, count


def format_stack(stack):
    if not stack:
        return "-"
    return ",".join(f"{i}*{times}" if times > 1 else str(i) for i, times in runs(stack))


class CompressedBlock(Exception):
    """A zstd block that takes a real decoder."""


def decompress(data):
    """The content of whole zstd frames that fill `data`."""
    cursor = Cursor(data, "<", "records", "truncated")
    out = bytearray()
    try:
        while cursor.left():
            decompress_frame(cursor, out)
    except CompressedBlock:
        try:
            result = subprocess.run(
                ["zstd", "-dcq", "--no-progress"], input=data, capture_output=True, check=False
            )
        except OSError as error:
            cursor.fail("unsupported", f"cannot run zstd: {error.strerror}")
        if result.returncode != 0:
            cursor.fail("format", result.stderr.decode(errors="replace").strip())
        return result.stdout
    return bytes(out)


def decompress_frame(cursor, out):
    (magic,) = cursor.fixed("I") if cursor.left() >= 4 else (None,)
    if magic is None:
        short = cursor.bytes(cursor.left())
        starts = [struct.pack("<I", 0xFD2FB528)] + [bytes([0x50 + n, 0x2A, 0x4D, 0x18]) for n in range(16)]
        partial = any(start.startswith(short) for start in starts)
        cursor.fail("truncated" if partial else "format", "no zstd frame")
    if magic & 0xFFFFFFF0 == 0x184D2A50:
        cursor.bytes(cursor.fixed("I")[0])
        return
    if magic != 0xFD2FB528:
        cursor.fail("format", "no zstd frame")
    descriptor = cursor.byte()
    single_segment = descriptor >> 5 & 1
    if descriptor & 8:
        cursor.fail("unsupported", "reserved bit in a zstd frame")
    window = 0 if single_segment else cursor.byte()
    if (1 << 10 + (window >> 3)) * (8 + (window & 7)) // 8 > 1 << 27:
        cursor.fail("unsupported", "zstd window of more than 128 MiB")
    if any(cursor.bytes((0, 1, 2, 4)[descriptor & 3])):
        cursor.fail("unsupported", "zstd dictionary")
    cursor.bytes((single_segment, 2, 4, 8)[descriptor >> 6])
    last = False
    content = bytearray()
    while not last:
        header = int.from_bytes(cursor.bytes(3), "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        if kind == 2:
            raise CompressedBlock
        if kind == 3:
            cursor.fail("format", "reserved zstd block")
        content += cursor.bytes(size) if kind == 0 else cursor.bytes(1) * size
    if descriptor & 4 and cursor.bytes(4) != struct.pack("<I", xxh64(bytes(content)) & 0xFFFFFFFF):
        cursor.fail("format", "wrong zstd checksum")
    out += content


def xxh64(data):
    """The hash whose low half is the checksum of a zstd frame (seed 0)."""
    primes = (
        11400714785074694791,
        14029467366897019727,
        1609587929392839161,
        9650029242287828579,
        2870177450012600261,
    )
    p1, p2, p3, p4, p5 = primes
    mask = 2**64 - 1

    def rotate(value, bits):
        return (value << bits | value >> 64 - bits) & mask

    def mix(accumulator, lane):
        return rotate(accumulator + lane * p2 & mask, 31) * p1 & mask

    position = 0
    if len(data) >= 32:
        lanes = [p1 + p2 & mask, p2, 0, -p1 & mask]
        while position + 32 <= len(data):
            words = struct.unpack_from("<4Q", data, position)
            lanes = [mix(lane, word) for lane, word in zip(lanes, words)]
            position += 32
        value = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            value = (value ^ mix(0, lane)) * p1 + p4 & mask
    else:
        value = p5
    value = value + len(data) & mask
    while position + 8 <= len(data):
        (word,) = struct.unpack_from("<Q", data, position)
        value = rotate(value ^ mix(0, word), 27) * p1 + p4 & mask
        position += 8
    if position + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, position)
        value = rotate(value ^ word * p1 & mask, 23) * p2 + p3 & mask
        position += 4
    for byte in data[position:]:
        value = rotate(value ^ byte * p5 & mask, 11) * p1 & mask
    value = (value ^ value >> 33) * p2 & mask
    value = (value ^ value >> 29) * p3 & mask
    return value ^ value >> 32


# ------------------------------------------------------------------------------------------------
# The vectors
# ------------------------------------------------------------------------------------------------


class Vector(NamedTuple):
    name: str
    about: str  # one sentence: what it exercises and how it was made
    cpython: str  # "accepts", "rejects" or "misreads"
    file: bytes
    error: Optional[str]  # for a bad one: "CODE at PLACE"

    def text(self):
        lines = [f"# {self.about}"]
        if self.error is None:
            lines += Capture(self.file).text()
        else:
            lines.append(f"error {self.error}")
        lines.insert(1, f"cpython {self.cpython}")
        return "\n".join(lines) + "\n"


def all_vectors():
    vectors = []

    def good(name, about, file, cpython="accepts"):
        vectors.append(Vector("good-" + name, about, cpython, file, None))

    def bad(name, error, about, file, cpython="rejects"):
        vectors.append(Vector("bad-" + name, about, cpython, file, error))

    add_good_files(good)
    add_good_records(good)
    add_good_tables(good)
    add_bad_files(bad)
    add_bad_tables(bad)
    add_bad_records(bad)
    add_bad_zstd(bad)
    return vectors


little = Records("<")
big = Records(">")
ONE = little.full(7, 10, [0, 1])


def written_frame(number, *location, opcode=255):
    """A frame for Writer: all in one file, functions named after their number."""
    location = location or (number, number, 0, 0)
    return Frame(b"a.py", b"f%d" % number, *location, opcode)


def written(stacks, thread=7, interpreter=0, start=5000, step=1000, status=0):
    """Samples of one thread, one for each stack of numbers, `step` apart."""
    return [
        Sample(thread, interpreter, start + (i + 1) * step, status, tuple(map(written_frame, stack)))
        for i, stack in enumerate(stacks)
    ]


def tour_samples():
    """Two threads that use every kind of record."""
    main = Frame(b"app.py", b"main", 10, 12, 0, 9)
    work = Frame(b"app.py", b"work", 5, 5, 4, 30)
    parse = Frame(b"json.py", b"loads", 300, 300, 11, 40)
    idle = Frame(b"app.py", b"idle", 21, 21, 8, 19)
    return [
        Sample(1001, 0, 6000, 0x21, (work, main)),
        Sample(1002, 0, 6000, 0, (idle,)),
        Sample(1001, 0, 7010, 0x21, (work, main)),
        Sample(1002, 0, 7010, 0, (idle,)),
        Sample(1001, 0, 7990, 0x20, (work, main)),
        Sample(1001, 0, 9000, 0x21, (parse, work, main)),
        Sample(1001, 0, 10000, 0x21, (idle, main)),
    ]


def tour_file(order="<", **options):
    block = statistics_block(0.005, 1000.0, 0.5, 1.5, order=order)
    return build_written(tour_samples(), order=order, statistics=block, **options)


def add_good_files(good):
    good(
        "empty",
        "No samples, no tables, no statistics: header and footer, as CPython's writer leaves them.",
        build(threads=0, strings=(), frames=()),
    )
    good(
        "empty-zstd",
        "No samples, compressed: one zstd frame without content, byte for byte as CPython's writer makes it.",
        build(bytes.fromhex("28b52ffd2000010000"), threads=0, strings=(), frames=(), compression=1),
    )
    good(
        "empty-zstd-no-frame",
        "No samples, compressed, and no zstd frame either: no frames fill no bytes.",
        build(threads=0, strings=(), frames=(), compression=1),
        "rejects",
    )
    good(
        "tour",
        "The worked example of the specification: two threads, each kind of record, statistics; made by the rules for writers.",
        tour_file(configuration=0x199),
    )
    good("tour-big-endian", "The tour with all fixed-width integers big-endian.", tour_file(">", configuration=0x199))
    good("tour-narrow", "The tour with the narrow header of the pre-releases.", tour_file(narrow=True), "rejects")
    good(
        "tour-narrow-big-endian",
        "The tour with a narrow, big-endian header.",
        tour_file(">", narrow=True),
        "rejects",
    )
    data = Capture(tour_file()).data
    tables = dict(
        samples=7, threads=2, strings=Capture(tour_file()).strings, frames=Capture(tour_file()).frames, compression=1
    )
    good("tour-zstd", "The tour compressed: one zstd frame with one raw block.", build(zstd_frame(data), **tables))
    good(
        "tour-zstd-frames",
        "The tour in three zstd frames with checksums, cut inside records, with skippable frames between and after, one of them empty.",
        build(
            b"".join(
                (
                    zstd_frame(data[:20], checksum=struct.pack("<I", xxh64(data[:20]) & 0xFFFFFFFF)),
                    zstd_skippable(b"between"),
                    zstd_frame(data[20:61], checksum=struct.pack("<I", xxh64(data[20:61]) & 0xFFFFFFFF)),
                    zstd_frame(data[61:], checksum=struct.pack("<I", xxh64(data[61:]) & 0xFFFFFFFF)),
                    zstd_skippable(b""),
                    zstd_skippable(b"last", 15),
                )
            ),
            **tables,
        ),
    )
    good(
        "tour-zstd-skippable-first",
        "The tour with a skippable frame before everything else.",
        build(zstd_skippable(b"first") + zstd_frame(data), **tables),
        "rejects",
    )
    good(
        "tour-zstd-empty-first",
        "The tour after an empty zstd frame that does not declare its content size.",
        build(zstd_frame() + zstd_frame(data), **tables),
    )
    good(
        "tour-zstd-empty-sized-first",
        "The tour after an empty zstd frame that declares a content size of 0.",
        build(bytes.fromhex("28b52ffd2000010000") + zstd_frame(data), **tables),
        "rejects",
    )
    good(
        "gaps",
        "Bytes that nobody reads between the last string and the frame table, and between the last frame and the statistics.",
        build(ONE, 1, string_gap=b"\x80\x80\xff", frame_gap=b"\xff" * 9, statistics=statistics_block(1.5, 2.5)),
    )
    good(
        "header-tolerated",
        "A Python version of 0.0.0, byte 11 not zero, an interval of 0, a thread count that is too high, unknown configuration bits, a checksum.",
        build(ONE, 1, 9, python=(0, 0, 0, 9), interval=0, configuration=0xFFFFFE00, checksum=bytes(range(16))),
    )
    good(
        "header-extremes",
        "The largest start time and interval, mode exception, every feature.",
        build(ONE, 1, start=2**64 - 5, interval=2**64 - 1, python=(255, 255, 255, 0), configuration=0x1FD),
    )
    good(
        "mode-later",
        "Profiling mode 5, which has no name yet; feature bits that do not count because bit 3 is clear.",
        build(ONE, 1, configuration=0x1F6),
        "rejects",
    )
    for name, about, block in (
        ("", "Statistics with all four values, the missed samples below zero.", statistics_block(1.5, 999.25, 0.0, -2.5)),
        ("-partial", "Statistics without the failed samples, whose place holds a NaN that is not to be looked at.",
         struct.pack("<ddddII", 1.5, 999.25, math.nan, 12.5, 0xFFFFFFFE, 7) + SIGNATURE + struct.pack("<II", 1, 56)),
        ("-old", "The old statistics block of 32 bytes.", old_statistics_block(1.5, 999.25)),
        ("-old-larger", "Statistics of 48 bytes: too small for the failed and missed samples.", old_statistics_block(1.5, 999.25, b"\xaa" * 16)),
        ("-larger", "Statistics of 72 bytes, as a later version may write: the new fields stand before the signature.", statistics_block(1.5, 999.25, 3.5, 4.5, b"\xaa" * 16)),
        ("-version-2", "Statistics of version 2, which are not to be read.", statistics_block(1.5, 999.25, 3.5, 4.5, version=2)),
    ):
        good("statistics" + name, about, build(ONE, 1, statistics=block))


def add_good_records(good):
    good("full", "One full record.", build(ONE, 1))
    good(
        "repeat",
        "A repeat whose status changes, one record for all samples; all known status bits.",
        build(ONE + little.repeat(7, [(1000, 0), (1000, 63), (0, 63), (999, 1), (300000, 4)]), 6),
    )
    good(
        "repeat-first",
        "A thread whose first samples have no frames: its first record is a repeat of the empty stack.",
        build_written(written([[], [], [1], []])),
    )
    good(
        "repeat-flush",
        "8,188 samples alike in entries of 2 bytes: the pending repeat is written before it could pass 16,384 bytes; in run-length blocks of zstd.",
        build(
            zstd_frame(
                pieces=[
                    little.full(7, 0, [0]) + little.prefix(7, REPEAT) + varint(8187),
                    (b"\0", 2 * 8187),
                    little.repeat(7, [(0, 0)]),
                ]
            ),
            8189,
            strings=STRINGS[:2],
            frames=FRAMES[:1],
            compression=1,
        ),
    )
    good("suffix", "New innermost frames on an unchanged stack.", build_written(written([[1], [2, 1], [4, 3, 2, 1]])))
    good(
        "suffix-shorter",
        "A suffix that shares fewer frames than the stack before had, which CPython's writer expresses as pop-push.",
        build(little.full(7, 10, [0, 1, 2]) + little.suffix(7, 10, 2, [0]) + little.suffix(7, 10, 0, [1]), 3),
    )
    good(
        "suffix-nothing-new",
        "A suffix without new frames that shares fewer than the stack before had; CPython 3.15.2 keeps the innermost frames instead.",
        build(little.full(7, 10, [0, 1, 2]) + little.suffix(7, 10, 1, []), 2),
        "misreads",
    )
    good(
        "suffix-and-pop-of-nothing",
        "A suffix and a pop-push that leave the stack as it was, and a pop-push that adds frames without removing any.",
        build(ONE + little.suffix(7, 10, 2, []) + little.pop_push(7, 10, 0, []) + little.pop_push(7, 10, 0, [2]), 4),
    )
    good(
        "pop-push",
        "Frames removed only, replaced, and removed down to the empty stack.",
        build(
            little.full(7, 10, [0, 1, 2])
            + little.pop_push(7, 10, 1, [])
            + little.pop_push(7, 10, 1, [0, 1])
            + little.pop_push(7, 10, 3, [])
            + little.pop_push(7, 10, 0, [2]),
            5,
        ),
    )
    good(
        "choice",
        "Each choice of encoding on both sides of its boundary: shared frames against half of the new depth, for even and odd depths.",
        build_written(
            written(
                [
                    [2, 1], [3, 2, 1], [2, 1], [4, 1], [6, 5, 1], [8, 7, 6, 1], [8, 7, 6, 9], [], [9], [9, 9], [9],
                    [3, 2, 1], [9, 8, 7, 2, 1], [3, 2, 1], [9, 8, 7, 6, 2, 1], [3, 2, 1], [1], [1],
                ]
            )
        ),
    )
    interleaved = []
    for i in range(3):
        for thread, interpreter in ((7, 0), (8, 0), (7, 1)):
            stack = () if i == 2 and thread == 8 else (written_frame(thread + interpreter),)
            interleaved.append(Sample(thread, interpreter, 6000 + 1000 * i, interpreter, stack))
    good(
        "threads",
        "Three threads, one id in two interpreters; each keeps a stack, a time and a pending repeat of its own, and the last repeats follow in the order of first samples.",
        build_written(interleaved),
    )
    good(
        "ids",
        "The smallest and largest thread and interpreter ids, every status bit.",
        build(
            little.full(0, 10, [0]) + little.full(2**64 - 1, 10, [1], 255, 2**32 - 1) + little.repeat(0, [(5, 0xC0)]), 3, 2
        ),
    )
    good(
        "time-backwards",
        "Time that runs backwards, before the start and below zero, then over the top again.",
        build_written(
            [
                Sample(7, 0, time, 0, (written_frame(1 + i // 2),))
                for i, time in enumerate((6000, 5999, 4000, 0, 2**64 - 10, 2**64 - 1, 3))
            ]
        ),
    )
    good(
        "overlong-varints",
        "Varints longer than they need to be, up to ten bytes, in records and both tables.",
        build(
            little.prefix(7, FULL) + varint(10, 10) + b"\0" + varint(1, 3) + varint(0, 5)
            + little.prefix(7, REPEAT) + varint(1, 2) + varint(1000, 3) + b"\0"
            + little.prefix(7, SUFFIX) + varint(5, 9) + b"\0" + varint(1, 10) + varint(1, 2) + varint(0, 2),
            3,
            strings=(bytearray(varint(4, 10) + b"a.py"), b"f"),
            frames=(varint(0, 2) + varint(1, 10) + varint(2, 6) + varint(0, 2) + varint(0, 3) + varint(4, 2) + b"\xff",),
        ),
    )
    for depth, cpython in ((256, "accepts"), (257, "rejects"), (300, "rejects")):
        good(
            f"depth-{depth}",
            f"A stack of {depth} frames, then one more sample of it.",
            build(little.full(7, 10, [0] * (depth - 1) + [1]) + little.repeat(7, [(1000, 0)]), 2),
            cpython,
        )
    good(
        "depth-257-pop-push",
        "A stack that passes 256 frames by a pop-push that adds two.",
        build(little.full(7, 10, [0] * 256) + little.pop_push(7, 10, 1, [1, 2]), 2),
        "rejects",
    )
    good(
        "depth-65536",
        "The deepest stack that is read, in a run-length block of zstd.",
        build(zstd_frame(pieces=[little.prefix(7, FULL) + b"\x0a\0" + varint(65536), (b"\0", 65536)]), 1, compression=1),
        "rejects",
    )


def add_good_tables(good):
    good(
        "duplicates",
        "Equal strings and equal frames under several indices, and entries that nothing uses.",
        build(
            little.full(7, 10, [0, 1]) + little.full(7, 10, [1, 0]) + little.suffix(7, 10, 2, [2]),
            3,
            strings=(b"a.py", b"f", b"a.py", b"f", b"unused"),
            frames=(Frame(0, 1), Frame(0, 1), Frame(2, 3), Frame(4, 4)),
        ),
    )
    good(
        "ends-unknown",
        "Frames whose end line or end column is -1 beside a known start: a writer keeps them apart from others but stores a distance of 0 for both.",
        build_written(
            [
                Sample(7, 0, 6000 + i, 0, (written_frame(1, *location),))
                for i, location in enumerate(((5, -1, 3, -1), (5, 5, 3, 3), (5, -1, 3, 9)))
            ]
        ),
    )
    good(
        "names",
        "NUL, newline, semicolon, quote, backslash, invalid UTF-8 and nothing at all in names.",
        build(
            little.full(7, 10, [0, 1, 2]),
            1,
            strings=(b"a b;c\n\0.py", b"", b"caf\xc3\xa9 \"\\\"", b"\xff\xe2\x82\xed\xa0\x80\xf0\x9f\x98", b"~", b"<native>"),
            frames=(Frame(0, 1), Frame(2, 3), Frame(4, 5, -1, -1, -1, -1)),
        ),
    )
    good(
        "long-string",
        "A string whose length takes two bytes.",
        build(ONE, 1, strings=(b"x" * 128, b"f", b"g", b"h")),
    )
    top, bottom = 2**31 - 1, -(2**31)
    good(
        "locations",
        "No location, lines of 0 and below, unknown columns, ends before starts, the extremes of 32 bits with distances that wrap, opcodes 0 and 254.",
        build_written(
            [
                Sample(7, 0, 6000 + i, 0, (Frame(b"a.py", b"f", *location),))
                for i, location in enumerate(
                    (
                        (-1, -1, -1, -1, 255),
                        (-1, -1, -1, -1, 0),
                        (0, 0, 0, 0, 254),
                        (-2, -3, -2, -4, 1),
                        (5, 5, -1, -1, 255),
                        (5, 3, 9, 2, 255),
                        (top, top, top, top, 255),
                        (bottom, bottom, bottom, bottom, 255),
                        (top, bottom, top, bottom, 255),
                        (bottom, top, bottom, top, 255),
                    )
                )
            ]
        ),
    )
    good(
        "locations-ignored",
        "Numbers that mean nothing: columns and distances of a frame without line, the distance from an unknown column, an end line of -1.",
        build(
            little.full(7, 10, [0, 1, 2]),
            1,
            frames=(
                b"\0\1" + svarint(-1) + svarint(5) + svarint(3) + svarint(2) + b"\x07",
                b"\0\2" + svarint(5) + svarint(0) + svarint(-1) + svarint(3) + b"\xff",
                b"\0\3" + svarint(5) + svarint(-6) + svarint(2) + svarint(-3) + b"\xff",
            ),
        ),
    )


def add_bad_files(bad):
    whole = build(ONE, 1, statistics=statistics_block(1.5, 2.5))
    bad("no-bytes", "truncated at header", "A file without a byte.", b"")
    bad("unfinished", "truncated at header", "What a writer that was killed leaves: an empty header, some data, no tables.", bytes(64) + ONE * 3)
    bad("unfinished-short", "truncated at header", "Zeros, fewer than a header.", bytes(20))
    bad("magic", "format at header", "Text that is no capture.", b"# This is not a capture.\n" * 5)
    bad("magic-case", "format at header", "A capture with one bit of the magic flipped.", b"HcAT" + whole[4:])
    bad("version-0", "unsupported at header", "Format version 0.", build(ONE, 1, version=0))
    bad("version-2", "unsupported at header", "Format version 2.", build(ONE, 1, version=2))
    bad("version-big-endian", "unsupported at header", "A little-endian header behind a big-endian magic: the version reads as 16777216.", b"TACH" + whole[4:])
    bad("cut-in-version", "truncated at header", "The first 6 bytes of a capture: cut short, not of another version.", whole[:6])
    bad("cut-in-header", "truncated at header", "The first 40 bytes of a capture.", whole[:40])
    bad("cut-after-header", "truncated at header", "The header of a capture alone.", whole[:64])
    bad("cut-in-data", "truncated at header", "A capture cut inside its sample data, beyond 96 bytes, so that the tables lie beyond the end.", build(ONE * 5, 5)[:100])
    bad("cut-narrow", "truncated at header", "A narrow capture cut inside its sample data.", build(ONE * 5, 5, narrow=True)[:100])
    bad("cut-in-frames", "truncated at footer", "A capture cut inside its frame table, with enough bytes after the table's start to look for a footer.", build(ONE, 1, frames=FRAMES * 10)[:-50])
    bad("cut-in-statistics", "truncated at footer", "A capture cut inside its statistics.", whole[:-60])
    bad("cut-in-footer", "truncated at footer", "A capture without its last byte.", whole[:-1])
    bad("too-short", "truncated at header", "A header that puts all tables at 64, with 31 bytes after it: no room for the footer.", build(threads=0, strings=(), frames=())[:-1], "accepts")
    bad("strings-in-header", "format at header", "A string table offset of 63.", build(ONE, 1, string_offset=63))
    bad("frames-before-strings", "format at header", "A frame table offset one below that of the strings.", build(ONE, 1, frame_offset=64 + len(ONE) - 1))
    bad("frames-in-footer", "truncated at header", "A frame table offset inside the footer.", build(ONE, 1, frame_offset=len(build(ONE, 1)) - 31))
    bad("compression-2", "unsupported at header", "Compression 2; the data is not compressed, which is how CPython takes every unknown value.", build(ONE, 1, compression=2), "accepts")
    size = len(whole)
    bad("size-too-large", "truncated at footer", "A footer that declares one byte more than there is.", build(ONE, 1, statistics=statistics_block(1.5, 2.5), file_size=size + 1), "accepts")
    bad("size-too-small", "format at footer", "A footer that declares one byte less than there is.", build(ONE, 1, statistics=statistics_block(1.5, 2.5), file_size=size - 1), "accepts")
    bad("size-zero", "truncated at footer", "A footer that declares no size, which cannot be told from bytes that are no footer.", build(ONE, 1, file_size=0), "accepts")
    bad("two-captures", "format at footer", "A capture followed by itself: bytes follow the first.", whole * 2, "accepts")
    bad("zeros-follow", "truncated at footer", "A capture followed by 40 zeros, where there is no footer.", build(ONE, 1) + bytes(40))
    for name, about, block, cpython in (
        ("nan", "Statistics with a duration that is not a number.", statistics_block(math.nan, 2.5), "rejects"),
        ("infinite", "Statistics with an infinite share of missed samples.", statistics_block(1.5, 2.5, 0.0, math.inf), "rejects"),
        ("negative", "Statistics with a negative rate.", statistics_block(1.5, -2.5), "rejects"),
        ("old-negative", "Old statistics with a negative duration.", old_statistics_block(-1.5, 2.5), "rejects"),
        ("size-31", "Statistics that say they have 31 bytes, too few for the oldest form.", old_statistics_block(1.5, 2.5, size=31), "rejects"),
        ("too-large", "Statistics that say they reach back beyond the start of the frame table.", statistics_block(1.5, 2.5, size=90), "accepts"),
    ):
        bad("statistics-" + name, "format at footer", about, build(ONE, 1, statistics=block), cpython)


def add_bad_tables(bad):
    bad("string-count", "format at footer", "A string count above the bytes of the string table.", build(ONE, 1, string_count=2**32 - 1))
    bad("frame-count", "format at footer", "A frame count above what the bytes to the footer can hold.", build(ONE, 1, frame_count=2**32 - 1))
    bad("string-one-more", "format at strings", "A string count one too high: the next string would start in the frame table.", build(ONE, 1, string_count=5), "accepts")
    bad("string-over-end", "format at strings", "A last string that is longer than what is left of its table.", build(ONE, 1, strings=STRINGS[:3] + (bytearray(b"\2h"),)), "accepts")
    bad("string-length-cut", "format at strings", "A string table that ends inside a length.", build(ONE, 1, strings=STRINGS + (bytearray(b"\x80"),)), "accepts")
    bad("string-length-huge", "format at strings", "A string of 2^64 - 1 bytes.", build(ONE, 1, strings=STRINGS[:3] + (bytearray(varint(2**64 - 1) + b"h"),)))
    bad("string-length-11-bytes", "format at strings", "A length in eleven bytes.", build(ONE, 1, strings=(bytearray(varint(4, 11) + b"a.py"),) + STRINGS[1:]))
    bad("frame-file", "format at frames", "A frame whose filename is no string.", build(ONE, 1, frames=(Frame(4, 1), Frame(0, 1))))
    bad("frame-function", "format at frames", "A frame whose function is string 2^32 + 1.", build(ONE, 1, frames=(Frame(0, 2**32 + 1), Frame(0, 1))))
    bad("frame-unused", "format at frames", "A frame that no sample uses and whose function is no string; CPython looks at names only when they are used.", build(ONE, 1, frames=FRAMES[:2] + (Frame(0, 4),)), "accepts")
    bad("frame-line", "format at frames", "A line of 2^31.", build(ONE, 1, frames=(Frame(0, 1, 2**31, 2**31), Frame(0, 1))))
    distance = b"\0\1" + svarint(-5) + svarint(2**31) + b"\0\0\xff"
    bad("frame-distance", "format at frames", "A distance of 2^31 from line to end line, although their sum would fit.", build(ONE, 1, frames=(distance, Frame(0, 1))))
    bad("frame-column", "format at frames", "A column of -2^31 - 1.", build(ONE, 1, frames=(Frame(0, 1, 1, 1, -(2**31) - 1, -(2**31) - 1), Frame(0, 1))))
    long_entry = (b"\0\1" + varint(2**31, 5) * 4 + b"\xff",) * 2
    bad("frames-over-end", "format at frames", "A frame count one too high: the next frame would reach into the footer.", build(ONE, 1, frames=long_entry, frame_count=3), "accepts")
    bad("frames-in-statistics", "format at frames", "A frame count one too high: the next frame would start in the statistics.", build(ONE, 1, frame_count=4, statistics=statistics_block(0.0, 0.0)), "accepts")


def add_bad_records(bad):
    def records(name, error, about, data, samples=2, threads=1, cpython="rejects"):
        bad(name, f"{error} at records", about, build(data, samples, threads), cpython)

    records("encoding-4", "format", "A record with encoding 4.", ONE + little.prefix(7, 4) + b"\1\0\0")
    records("encoding-255", "format", "A record with encoding 255.", ONE + little.prefix(7, 255) + b"\1\0\0")
    records("record-cut-in-prefix", "truncated", "Data that ends after 5 bytes of a record.", ONE + ONE[:5], 1)
    records("record-cut-after-prefix", "truncated", "Data that ends after the 13 bytes that every record starts with.", ONE + ONE[:13])
    records("record-cut-in-frames", "truncated", "Data that ends before the last frame index of a record.", ONE + ONE[:-1])
    records("repeat-cut", "truncated", "A repeat of three whose third entry is missing.", ONE + little.repeat(7, [(1, 0), (1, 0)], count=3), 4)
    records("repeat-cut-in-entry", "truncated", "A repeat whose last status is missing.", ONE + little.repeat(7, [(1, 0), (1, 0)])[:-1], 3)
    records("repeat-over-next", "format", "A repeat that counts one sample too many and takes the next record's first bytes for it.", ONE + little.repeat(7, [(1, 0)], count=2) + ONE, 4)
    records("repeat-count-huge", "format", "A repeat of 2^64 - 1 samples, more than the header declares.", ONE + little.repeat(7, [(1, 0)], count=2**64 - 1))
    records("repeat-of-nothing", "format", "A repeat with a count of 0, as a run of zeros would be read.", ONE + little.repeat(7, []), 1, cpython="accepts")
    records("zeros", "format", "Sample data of zeros.", ONE + bytes(140), 1, 2, "accepts")
    records("frame-index", "format", "A frame index that is one too high.", little.full(7, 10, [0, 3]), 1)
    records("frame-index-33-bits", "format", "A frame index of 2^32, which is frame 0 in 32 bits.", little.full(7, 10, [0, 2**32]), 1)
    records("delta-65-bits", "format", "A time difference with 2 in its tenth byte; CPython drops the bit beyond 64.", little.prefix(7, FULL) + b"\x80" * 9 + b"\2\0\1\0", 1, cpython="accepts")
    records("delta-11-bytes", "format", "A time difference in eleven bytes.", little.prefix(7, FULL) + varint(10, 11) + b"\0\1\0", 1)
    records("suffix-shared", "format", "A suffix that shares three frames of a stack that has two.", ONE + little.suffix(7, 10, 3, [2]))
    records("suffix-first", "format", "A thread's first record, a suffix that shares a frame of the empty stack.", ONE + little.suffix(8, 10, 1, [2]), threads=2)
    records("suffix-shared-33-bits", "format", "A suffix that shares 2^32 + 1 frames.", ONE + little.suffix(7, 10, 2**32 + 1, [2]))
    records("pop-too-many", "format", "A pop-push that removes three frames of a stack that has two; CPython removes what there is.", ONE + little.pop_push(7, 10, 3, [2]), cpython="accepts")
    records("pop-first", "format", "A thread's first record, a pop-push that removes a frame of the empty stack.", ONE + little.pop_push(8, 10, 1, [2]), threads=2, cpython="accepts")
    records("depth-huge", "unsupported", "A full record of 2^64 - 1 frames in a few bytes.", little.prefix(7, FULL) + b"\1\0" + varint(2**64 - 1) + b"\0", 1)
    records("threads-too-few", "format", "Two threads where the header declares one.", ONE + little.full(8, 10, [0]))
    records("threads-none", "format", "One thread where the header declares none.", ONE, 1, 0)
    records("threads-interpreters", "format", "One thread id in two interpreters where the header declares one thread.", ONE + little.full(7, 10, [0], 0, 1))
    records("samples-too-few", "format", "Fewer samples than the header declares.", ONE, 2)
    records("samples-too-many", "format", "More samples than the header declares.", ONE * 2, 1)
    records("samples-missing", "format", "No data where the header declares a sample.", b"", 1)


def add_bad_zstd(bad):
    def zstd(name, error, about, data, cpython="rejects", samples=1):
        bad("zstd-" + name, f"{error} at records", about, build(data, samples, compression=1), cpython)

    frame = zstd_frame(ONE)
    zstd("cut", "truncated", "A zstd frame without its last byte.", frame[:-1])
    zstd("cut-second", "truncated", "A whole zstd frame and the start of another.", frame + frame[:8])
    zstd("cut-skippable", "truncated", "A skippable frame that is longer than what is left.", frame + zstd_skippable(b"0123456789")[:-3])
    zstd("magic", "format", "Data that is not compressed although the header says so.", ONE)
    zstd("zeros-follow", "format", "Zeros between the last zstd frame and the string table.", frame + bytes(8))
    zstd("garbage-follows", "format", "Other bytes between the last zstd frame and the string table.", frame + b"garbage")
    zstd("block-type", "format", "A zstd block of the reserved type.", frame[:6] + bytes([frame[6] | 6]) + frame[7:])
    zstd("checksum", "format", "A zstd frame whose checksum is wrong.", zstd_frame(ONE, checksum=b"\1\2\3\4"))
    zstd("window", "unsupported", "A zstd window of 256 MiB.", zstd_frame(ONE, window=18 << 3))
    zstd("dictionary", "unsupported", "A zstd frame that needs dictionary 5.", b"\x28\xb5\x2f\xfd\x01\x38\x05" + frame[6:])
    zstd("record-cut", "truncated", "A whole zstd frame whose content ends inside a record.", zstd_frame(ONE[:-1]))
    zstd(
        "depth-65537",
        "unsupported",
        "A stack one frame deeper than what is read, in a run-length block.",
        zstd_frame(pieces=[little.prefix(7, FULL) + b"\x0a\0" + varint(65537), (b"\0", 65537)]),
    )
    zstd(
        "depth-65537-suffix",
        "unsupported",
        "A stack that passes 65,536 frames by a suffix.",
        zstd_frame(
            pieces=[
                little.prefix(7, FULL) + b"\x0a\0" + varint(65536),
                (b"\0", 65536),
                little.suffix(7, 10, 65536, [0]),
            ]
        ),
        samples=2,
    )
    zstd(
        "bomb-zeros",
        "format",
        "62 MiB of zeros in 2 KB: to be told bad at the first record.",
        zstd_frame(pieces=[(b"\0", 131072)] * 500),
        samples=0,
    )
    zstd(
        "bomb-repeat",
        "format",
        "A repeat of 32 million samples in 2 KB where the header declares one: to be told bad without decoding them.",
        zstd_frame(pieces=[little.full(7, 0, [0]) + little.prefix(7, REPEAT) + varint(2**25)] + [(b"\0", 131072)] * 512),
    )


# ------------------------------------------------------------------------------------------------
# Commands
# ------------------------------------------------------------------------------------------------

HERE = pathlib.Path(__file__).resolve().parent
README_MARK = "## The vectors\n"


def check_vector(vector):
    """Whether the decoder finds in a vector what its name and its text say."""
    try:
        Capture(vector.file)
        found = None
    except CaptureError as error:
        found = f"{error.code} at {error.place}"
    if found != vector.error:
        sys.exit(f"{vector.name}: decodes as {found}, meant as {vector.error}")
    if len(vector.file) > 8192:
        sys.exit(f"{vector.name}: {len(vector.file)} bytes")


def readme_list(vectors):
    lines = []
    for title, start in (("Good", "good-"), ("Bad", "bad-")):
        lines += ["", f"### {title}", ""]
        lines += ["| vector | bytes | CPython 3.15.2 | what it exercises |", "| --- | --- | --- | --- |"]
        for vector in vectors:
            if vector.name.startswith(start):
                about = vector.about if vector.error is None else f"`{vector.error}`. {vector.about}"
                lines.append(f"| {vector.name} | {len(vector.file)} | {vector.cpython} | {about} |")
    return "\n".join(lines) + "\n"


def expected_files(directory):
    """Every file that this program writes, by name."""
    vectors = all_vectors()
    files = {}
    for vector in vectors:
        check_vector(vector)
        files[vector.name + ".bin"] = vector.file
        files[vector.name + ".txt"] = vector.text().encode("ascii")
    readme = directory / "README.md"
    if readme.exists():
        head = readme.read_text("utf-8").partition(README_MARK)[0]
        files["README.md"] = (head + README_MARK + readme_list(vectors)).encode()
    return files


def write(directory):
    for name, content in expected_files(directory).items():
        (directory / name).write_bytes(content)
    return 0


def check(directory):
    failures = 0
    files = expected_files(directory)
    for name, content in files.items():
        path = directory / name
        if not path.exists() or path.read_bytes() != content:
            print(f"{name}: {'differs' if path.exists() else 'missing'}")
            failures += 1
    for path in sorted(directory.glob("*-*.*")):
        if path.suffix in (".bin", ".txt") and path.name not in files:
            print(f"{path.name}: not one of the vectors")
            failures += 1
    return 1 if failures + check_examples(files) else 0


def check_examples(files):
    """Looks up the examples of the specification: blocks marked ```hex NAME, bytes before a bar."""
    specification = HERE.parent / "capture-format.md"
    if not specification.exists():
        return 0
    failures = 0
    for name, block in re.findall(r"```hex (\S+)\n(.*?)```", specification.read_text("utf-8"), re.S):
        columns = (line.partition("|")[0] for line in block.splitlines())
        if bytes.fromhex("".join(columns)) not in files.get(name + ".bin", b""):
            print(f"{specification.name}: an example is not in {name}.bin:\n{block}")
            failures += 1
    return failures


def decode(path):
    try:
        for line in Capture(pathlib.Path(path).read_bytes()).text():
            print(line)
    except CaptureError as error:
        print(f"error {error.code} at {error.place}\n# {error.args[0]}")
        return 1
    return 0


def cpython_verdict(path, capture):
    """What the running Python's profiler does with a file; `capture` is None for a bad one."""
    import _remote_debugging

    class Collector:
        def __init__(self):
            self.samples = []

        def collect(self, interpreters, timestamps):
            for interpreter in interpreters:
                for thread in interpreter.threads:
                    stack = tuple(
                        (f.filename, f.funcname, f.location and tuple(f.location), f.opcode)
                        for f in thread.frame_info
                    )
                    for time in timestamps:
                        self.samples.append(
                            (thread.thread_id, interpreter.interpreter_id, time, int(thread.status), stack)
                        )

    collector = Collector()
    try:
        reader = _remote_debugging.BinaryReader(str(path))
        reader.replay(collector)
        info = reader.get_info()
    except (ValueError, MemoryError):
        return "rejects"
    if capture is None:
        return "accepts"

    def frame(index):
        f = capture.frames[index]
        location = None if f.line == -1 else (f.line, f.end_line, f.column, f.end_column)
        names = (capture.strings[i].decode("utf-8", "replace") for i in (f.file, f.function))
        return (*names, location, None if f.opcode == 255 else f.opcode)

    expected = [(*sample[:4], tuple(map(frame, sample.stack))) for sample in capture.samples]
    facts = [
        (info["duration_sec"], capture.statistics and capture.statistics.duration),
        (info["sample_rate"], capture.statistics and capture.statistics.rate),
        (info["error_rate"], capture.statistics and capture.statistics.failed),
        (info["missed_samples"], capture.statistics and capture.statistics.missed),
        (info["mode"], None if capture.mode == -1 else capture.mode),
        (info["capture_features"], capture.features),
        (info["start_time_us"], capture.start),
        (info["sample_interval_us"], capture.interval),
        (info["python_version"], capture.python),
        (info["compression_type"], int(capture.zstd)),
        (info["sample_count"], capture.sample_count),
        (info["thread_count"], capture.thread_count),
    ]
    alike = expected == collector.samples and all(theirs == ours for theirs, ours in facts)
    return "accepts" if alike else "misreads"


def check_cpython(directory):
    failures = 0
    for path in sorted(directory.glob("*-*.bin")):
        text = path.with_suffix(".txt").read_text("ascii")
        meant = re.search(r"^cpython (\w+)$", text, re.M).group(1)
        good = path.name.startswith("good-")
        found = cpython_verdict(path, Capture(path.read_bytes()) if good else None)
        if found != meant:
            print(f"{path.name}: CPython {found} it, meant: {meant}")
            failures += 1
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="compare with DIR instead of writing")
    action.add_argument("--cpython", action="store_true", help="try the vectors on this Python")
    action.add_argument("--decode", metavar="FILE", help="print a capture as text")
    parser.add_argument("directory", metavar="DIR", nargs="?", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    if options.decode is not None:
        return decode(options.decode)
    if options.cpython:
        return check_cpython(options.directory)
    return (check if options.check else write)(options.directory)


if __name__ == "__main__":
    sys.exit(main())
