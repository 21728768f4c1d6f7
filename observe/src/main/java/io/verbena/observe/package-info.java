/**
 * What every way of observing calls shares: the {@linkplain io.verbena.observe.Conventions names}
 * under which they are told, and {@linkplain io.verbena.observe.Outcome how a call ended}. Used by
 * interceptors, on their threads.
 */
@NullMarked
package io.verbena.observe;

import org.jspecify.annotations.NullMarked;
