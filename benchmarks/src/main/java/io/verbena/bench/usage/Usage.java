package io.verbena.bench.usage;

/**
 * What a process has used since it started.
 *
 * @param cpuNanos processor time, of all threads
 * @param allocatedBytes what all Java threads have allocated on the heap
 * @param contextSwitches how often its threads were taken off a processor, or left it to wait
 * @param compilingNanos what its compilers have taken for code that ran often
 */
public record Usage(long cpuNanos, long allocatedBytes, long contextSwitches, long compilingNanos) {
  /** Returns what was used since an earlier look. */
  public Usage since(Usage earlier) {
    return new Usage(
        cpuNanos - earlier.cpuNanos,
        allocatedBytes - earlier.allocatedBytes,
        contextSwitches - earlier.contextSwitches,
        compilingNanos - earlier.compilingNanos);
  }
}
