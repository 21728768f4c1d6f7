/** The bench commands and their options. */
@NullMarked
package io.verbena.bench.command;

import org.jspecify.annotations.NullMarked;
