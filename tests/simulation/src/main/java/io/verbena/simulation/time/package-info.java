/**
 * The clock of a run, its scheduled events, and its threads, of which the scheduler runs one at a
 * time.
 */
@NullMarked
package io.verbena.simulation.time;

import org.jspecify.annotations.NullMarked;
