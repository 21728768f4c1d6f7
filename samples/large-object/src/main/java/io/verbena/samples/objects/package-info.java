/**
 * A file that is too large for a message. {@link io.verbena.samples.objects.ShareServer} publishes
 * it once. A call returns its reference, and {@link io.verbena.samples.objects.Fetch} fetches it
 * into a file, with a progress bar. On TCP the kernel sends it by itself; on RDMA it is written
 * into the receiver's memory.
 */
@NullMarked
package io.verbena.samples.objects;

import org.jspecify.annotations.NullMarked;
