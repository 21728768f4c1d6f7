/**
 * What calls and objects cost in things that can be counted: frames, bytes, verbs, allocations,
 * system calls, instructions. A count says the same on a busy machine and on an idle one.
 */
@NullMarked
package io.verbena.bench.counts;

import org.jspecify.annotations.NullMarked;
