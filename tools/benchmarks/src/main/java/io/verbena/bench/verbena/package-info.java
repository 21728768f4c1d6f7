/** Verbena as a contestant: its contract, its host, and sessions on each path. */
@NullMarked
package io.verbena.bench.verbena;

import org.jspecify.annotations.NullMarked;
