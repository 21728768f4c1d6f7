/**
 * Where users start: {@link io.verbena.core.VerbenaServer} and {@link
 * io.verbena.core.VerbenaClient}, and what they are configured with. What lies in the packages
 * below is the core's own.
 */
@NullMarked
package io.verbena.core;

import org.jspecify.annotations.NullMarked;
