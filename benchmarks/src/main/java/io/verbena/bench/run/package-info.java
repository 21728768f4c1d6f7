/** One run: which contestants meet, in which order they take their turns, and what comes of it. */
@NullMarked
package io.verbena.bench.run;

import org.jspecify.annotations.NullMarked;
