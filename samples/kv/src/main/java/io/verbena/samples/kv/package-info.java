/**
 * A small store of large values. A value travels beside the call that names its key. {@link
 * io.verbena.samples.kv.Store#get} writes it straight into the caller's memory, and for {@link
 * io.verbena.samples.kv.Store#put} the store fetches it from the caller's memory.
 *
 * <p>Beside it, a table of small values, whose {@linkplain io.verbena.samples.kv.Bucket buckets}
 * clients read by themselves: over RDMA without the server's processor.
 */
@NullMarked
package io.verbena.samples.kv;

import org.jspecify.annotations.NullMarked;
