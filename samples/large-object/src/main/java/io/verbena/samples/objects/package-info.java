/**
 * A file that is too large for a message. {@link io.verbena.samples.objects.ShareServer} publishes
 * it once; a call gives its reference to whoever asks, and {@link io.verbena.samples.objects.Fetch}
 * fetches it into a file of its own, with a progress bar. On TCP the kernel sends it by itself; on
 * RDMA it is written into the receiver's memory.
 */
@NullMarked
package io.verbena.samples.objects;

import org.jspecify.annotations.NullMarked;
