/**
 * Memory that bulk passes through, its checksum, and the wait for room on a path. {@link
 * io.verbena.core.bulk.memory.BulkMemory} is one for all sessions of a client or server and safe
 * for any thread; the rest belongs to one transfer.
 */
@NullMarked
package io.verbena.core.bulk.memory;

import org.jspecify.annotations.NullMarked;
