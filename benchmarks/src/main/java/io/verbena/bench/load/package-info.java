/**
 * What is asked of every contestant alike: a load, the calls it is made of, and the loops that make
 * them and take their time. Knows no contestant. Loops run on the thread that starts them; calls
 * end on whatever thread their contestant has.
 */
@NullMarked
package io.verbena.bench.load;

import org.jspecify.annotations.NullMarked;
