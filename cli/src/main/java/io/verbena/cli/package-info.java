/** The {@code verbena} command: one class for each thing a user can do, and the way they print. */
@NullMarked
package io.verbena.cli;

import org.jspecify.annotations.NullMarked;
