/**
 * What this machine has for RDMA, what is missing, and the command that cures it. Each check reads
 * one part of the machine and tells a {@link io.verbena.cli.doctor.Section}; {@link
 * io.verbena.cli.doctor.Doctor} puts them together and says which path a session would get.
 *
 * <p>Files are read below a root directory and devices asked through a {@code VerbsProvider}, so
 * that tests bring both. Nothing is changed on the machine. Everything runs on the caller's thread.
 */
@NullMarked
package io.verbena.cli.doctor;

import org.jspecify.annotations.NullMarked;
