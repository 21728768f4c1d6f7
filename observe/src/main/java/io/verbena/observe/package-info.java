/**
 * What every way of observing calls shares: the {@linkplain io.verbena.observe.Conventions names}
 * under which they are told, {@linkplain io.verbena.observe.Outcome how a call ended}, and an
 * {@linkplain io.verbena.observe.AccessLog access log}. Used by interceptors, on their threads.
 */
@NullMarked
package io.verbena.observe;

import org.jspecify.annotations.NullMarked;
