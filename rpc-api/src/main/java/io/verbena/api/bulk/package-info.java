/**
 * Large objects and their transfers. A {@link io.verbena.api.bulk.Source} provides the bytes, a
 * {@link io.verbena.api.bulk.Landing} receives them, and a session's {@link
 * io.verbena.api.bulk.BulkObjects} starts the {@link io.verbena.api.bulk.Transfer} between the two.
 * Values here are immutable and safe for use by any thread. The user's functions are called on the
 * session's handler threads unless they say otherwise.
 */
@NullMarked
package io.verbena.api.bulk;

import org.jspecify.annotations.NullMarked;
