/**
 * Hosts with their loops, handler threads and devices, on one network and one fabric. Called on the
 * scheduler's thread, or on a strand.
 */
@NullMarked
package io.verbena.simulation.world;

import org.jspecify.annotations.NullMarked;
