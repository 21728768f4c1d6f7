/**
 * The figures of a running process: its clients and servers, their sessions and memory. {@link
 * io.verbena.core.stat.VerbenaMXBean} is the only interface, for {@code verbena stat} and for
 * users' monitoring. Any thread may call it. Each session's figures are read on its event loop.
 */
@NullMarked
package io.verbena.core.stat;

import org.jspecify.annotations.NullMarked;
