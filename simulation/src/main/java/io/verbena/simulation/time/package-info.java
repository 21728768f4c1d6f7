/**
 * A clock that a run owns, what happens when, and threads of which one runs at a time, the one that
 * is let.
 */
@NullMarked
package io.verbena.simulation.time;

import org.jspecify.annotations.NullMarked;
