/** The {@code verbena} command, with helpers that all subcommands share. */
@NullMarked
package io.verbena.cli;

import org.jspecify.annotations.NullMarked;
