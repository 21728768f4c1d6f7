/**
 * Statistics of a client's or server's transfers, and the costs of copies, pinning and a round
 * trip, which decide the way of a large value. All are values except {@link
 * io.verbena.core.bulk.stat.CopyCost}, which measures once for the process. Sessions' loops make
 * them, and any thread may read them.
 */
@NullMarked
package io.verbena.core.bulk.stat;

import org.jspecify.annotations.NullMarked;
