/**
 * Where bytes that came in blocks are put in their order: a file, with the sums by which another
 * transfer goes on with it, or a user's consumer. Called by destinations, one thread at a time.
 */
@NullMarked
package io.verbena.core.bulk.sink;

import org.jspecify.annotations.NullMarked;
