/**
 * The receiver's side of bytes: where an object on its way in goes, and what of that is open to the
 * sender. Called by transfers, on their loop. What comes in blocks goes to a sink: a file, with the
 * sums by which another transfer goes on with it, or a user's consumer, one thread at a time.
 */
@NullMarked
package io.verbena.core.bulk.destination;

import org.jspecify.annotations.NullMarked;
