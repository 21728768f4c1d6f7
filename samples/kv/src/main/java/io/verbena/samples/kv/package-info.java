/**
 * A small store of large values. A value travels beside the call that names its key: {@link
 * io.verbena.samples.kv.Store#get} has it written straight into the caller's memory, and {@link
 * io.verbena.samples.kv.Store#put} has the store fetch it from the caller's.
 *
 * <p>Beside it, a table of small values, whose {@linkplain io.verbena.samples.kv.Bucket buckets}
 * clients read by themselves: over RDMA without the server's processor.
 */
@NullMarked
package io.verbena.samples.kv;

import org.jspecify.annotations.NullMarked;
