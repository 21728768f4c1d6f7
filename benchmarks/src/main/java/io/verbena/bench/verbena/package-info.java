/** Verbena as a contestant: the contract that is called, its host, and sessions on each path. */
@NullMarked
package io.verbena.bench.verbena;

import org.jspecify.annotations.NullMarked;
