package io.verbena.bench.usage;

/**
 * The resources that a process has used since its start.
 *
 * @param cpuNanos the processor time of all threads
 * @param allocatedBytes the bytes that all Java threads have allocated on the heap
 * @param contextSwitches the voluntary and involuntary context switches of all threads
 * @param compilingNanos the time of the compilers
 */
public record Usage(long cpuNanos, long allocatedBytes, long contextSwitches, long compilingNanos) {
  /** Returns the difference from an earlier usage. */
  public Usage since(Usage earlier) {
    return new Usage(
        cpuNanos - earlier.cpuNanos,
        allocatedBytes - earlier.allocatedBytes,
        contextSwitches - earlier.contextSwitches,
        compilingNanos - earlier.compilingNanos);
  }
}
