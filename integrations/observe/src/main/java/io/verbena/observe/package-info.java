/**
 * The common part of all observers of calls: the {@linkplain io.verbena.observe.Conventions names}
 * of metrics and attributes, the {@linkplain io.verbena.observe.Outcome outcome} of a call, and an
 * {@linkplain io.verbena.observe.AccessLog access log}. Interceptors use it, on their threads.
 */
@NullMarked
package io.verbena.observe;

import org.jspecify.annotations.NullMarked;
