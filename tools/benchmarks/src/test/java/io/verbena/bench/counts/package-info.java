/**
 * What calls and objects cost in things that can be counted: frames, bytes, verbs, allocations,
 * system calls, instructions. A count says the same on a busy machine and on an idle one.
 *
 * <p>Two targets rest on strace and single steps. perf would need fewer lines, but most containers
 * forbid its events, and virtual machines mostly count no instructions.
 */
@NullMarked
package io.verbena.bench.counts;

import org.jspecify.annotations.NullMarked;
