/**
 * The sender's side of bytes: from an open source to pieces that a path can write, as they lie, by
 * way of pooled blocks, or by the kernel. Called by transfers, on their loop; reading goes
 * elsewhere.
 */
@NullMarked
package io.verbena.core.bulk.supply;

import org.jspecify.annotations.NullMarked;
