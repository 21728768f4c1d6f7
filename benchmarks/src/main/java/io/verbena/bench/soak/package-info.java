/**
 * Calls and transfers of every kind for as long as one likes, while links are cut and servers are
 * killed and stopped: {@code bench soak}. Every call is accounted for, and what both processes hold
 * must not grow.
 */
@NullMarked
package io.verbena.bench.soak;

import org.jspecify.annotations.NullMarked;
