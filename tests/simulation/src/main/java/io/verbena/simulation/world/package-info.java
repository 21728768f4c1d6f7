/**
 * Hosts with their loops, handler threads and devices, on one network and one fabric. The
 * scheduler's thread or a strand calls them.
 */
@NullMarked
package io.verbena.simulation.world;

import org.jspecify.annotations.NullMarked;
