/**
 * Record batches of Apache Arrow as large objects. A batch is one object: the message {@code
 * RecordBatch} of Arrow's IPC format, with its header and body. The sender reads the vectors'
 * buffers from their memory. The receiver compares the header and all offsets in the body with the
 * schema, and then slices vectors out of the memory in which the batch arrived.
 *
 * <p>All of this runs on the caller's thread, except the release of sent buffers, which runs on an
 * event loop.
 */
@NullMarked
package io.verbena.arrow;

import org.jspecify.annotations.NullMarked;
