/** One run: the contestants, the order of their turns, and the results. */
@NullMarked
package io.verbena.bench.run;

import org.jspecify.annotations.NullMarked;
