/** Measures what a server's event loops do for many clients. */
@NullMarked
package io.verbena.bench.spread;

import org.jspecify.annotations.NullMarked;
