"""Measures CPython's own reader and collectors: run by binprof-bench.

Usage: cpython_bench.py replay|collapsed|gecko CAPTURE REPETITIONS
Prints the nanoseconds of processor time of the fastest repetition and the number of samples.
"""

import os
import sys
import time

from profiling.sampling.binary_reader import BinaryReader, convert_binary_to_format
from profiling.sampling.collector import Collector

# No repetition begins after so many seconds.
PATIENCE = 10


class EmptyCollector(Collector):
    def collect(self, stack_frames, timestamps_us=None):
        pass

    def export(self, filename):
        pass


def replay(path):
    with BinaryReader(path) as reader:
        return reader.replay_samples(EmptyCollector())


def convert(path, name):
    return convert_binary_to_format(path, os.devnull, name)


def main():
    name, path, repetitions = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # The collectors print how far they are.
    answer = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    fastest = None
    begun = time.monotonic()
    for _ in range(repetitions):
        start = time.process_time_ns()
        samples = replay(path) if name == "replay" else convert(path, name)
        took = time.process_time_ns() - start
        fastest = took if fastest is None else min(fastest, took)
        if time.monotonic() - begun > PATIENCE:
            break
    os.write(answer, f"{fastest} {samples}\n".encode())


main()
