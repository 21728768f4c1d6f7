/**
 * Plans from seeds: hosts, sessions, calls, transfers and faults, as values that can be left out
 * one by one.
 */
@NullMarked
package io.verbena.simulation.plan;

import org.jspecify.annotations.NullMarked;
