/**
 * Whole clients, servers and networks in one run, from one seed, with faults, judged by an oracle.
 * The command and what runs seeds are here; {@code time} lets one thread run at a time on a virtual
 * clock, {@code net} is the stream link, {@code world} joins hosts, {@code plan} draws what
 * happens, {@code check} judges it.
 */
@NullMarked
package io.verbena.simulation;

import org.jspecify.annotations.NullMarked;
