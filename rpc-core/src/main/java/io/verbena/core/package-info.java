/**
 * The start for users: {@link io.verbena.core.VerbenaServer}, {@link io.verbena.core.VerbenaClient}
 * and their settings. The packages below are internal to the core.
 */
@NullMarked
package io.verbena.core;

import org.jspecify.annotations.NullMarked;
