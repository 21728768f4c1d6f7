/**
 * Simulates whole clients, servers and networks from one seed, with faults, and checks the rules.
 * This package has the command and the runs of seeds. {@code time} runs one thread at a time on a
 * virtual clock, {@code net} has the stream link, {@code world} the hosts, {@code plan} draws plans
 * from seeds, and {@code check} checks the rules.
 */
@NullMarked
package io.verbena.simulation;

import org.jspecify.annotations.NullMarked;
