/**
 * The receiver's side of bytes: where an object on its way in goes, and what of that is open to the
 * sender. Called by transfers, on their loop.
 */
@NullMarked
package io.verbena.core.bulk.destination;

import org.jspecify.annotations.NullMarked;
