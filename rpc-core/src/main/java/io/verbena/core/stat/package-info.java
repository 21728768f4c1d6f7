/**
 * What a running process can be asked: its clients and servers, their sessions and what they hold.
 * {@link io.verbena.core.stat.VerbenaMXBean} is the one door, for {@code verbena stat} and for
 * users' monitoring. It is asked on any thread; each session's figures are taken on its event loop.
 */
@NullMarked
package io.verbena.core.stat;

import org.jspecify.annotations.NullMarked;
