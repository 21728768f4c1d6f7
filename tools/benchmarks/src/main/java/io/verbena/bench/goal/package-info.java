/** Compares the speed of rivals on this machine with their known speed. */
@NullMarked
package io.verbena.bench.goal;

import org.jspecify.annotations.NullMarked;
