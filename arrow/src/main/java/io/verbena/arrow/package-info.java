/**
 * Record batches of Apache Arrow as large objects. A batch is one object: the message {@code
 * RecordBatch} of Arrow's IPC format, its header and its body. What sends it reads the vectors'
 * buffers from their places; what receives it slices vectors out of the memory that it arrived in,
 * once the header and all offsets in the body have been compared with the schema.
 *
 * <p>All of it runs on the caller's thread, but the release of buffers that were sent: that runs on
 * an event loop.
 */
@NullMarked
package io.verbena.arrow;

import org.jspecify.annotations.NullMarked;
