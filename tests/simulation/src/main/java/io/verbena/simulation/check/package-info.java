/**
 * The rules that hold in every run, and the records of events that check them. Called on the strand
 * of each event, one at a time.
 */
@NullMarked
package io.verbena.simulation.check;

import org.jspecify.annotations.NullMarked;
