/** A DiSNI RdmaProvider that is a fabric in memory, for tests and simulation. */
@NullMarked
package io.verbena.verbs.fabric;

import org.jspecify.annotations.NullMarked;
