/** The project's targets, and the runs that tell whether they are reached. */
@NullMarked
package io.verbena.bench.goal;

import org.jspecify.annotations.NullMarked;
