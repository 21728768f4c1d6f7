/**
 * Checks of RDMA on this machine, with cures for missing parts. Each check reads one part of the
 * machine and makes a {@link io.verbena.cli.doctor.Section}. {@link io.verbena.cli.doctor.Doctor}
 * runs the checks and derives the path that a session would get.
 *
 * <p>Tests supply the root directory of the files, and the {@code VerbsProvider} of the devices.
 * The checks change nothing on the machine and run on the caller's thread.
 */
@NullMarked
package io.verbena.cli.doctor;

import org.jspecify.annotations.NullMarked;
