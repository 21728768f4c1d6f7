/**
 * Loads, their calls, and the loops that make and time the calls. They are the same for every
 * contestant, and depend on none. Loops run on the thread that starts them. Calls end on the
 * threads of their contestant.
 */
@NullMarked
package io.verbena.bench.load;

import org.jspecify.annotations.NullMarked;
