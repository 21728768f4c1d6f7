/** The command {@code verbena bench}. */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
