package io.verbena.bench.counts;

import io.verbena.verbs.fabric.VerbsCounts;
import org.jspecify.annotations.Nullable;

/**
 * What one end has done.
 *
 * @param frames frames that its sessions sent
 * @param bulkWrites pieces of bulk that its sessions sent
 * @param wireBytes what passed on: on RDMA what Sends and WRITEs carry, on TCP what its socket
 *     sends, in memory what frames and pieces have in them
 * @param verbs what its device was asked for; null where there is none
 * @param allocatedBytes of the heap
 */
public record EndCounts(
    long frames,
    long bulkWrites,
    long wireBytes,
    @Nullable VerbsCounts verbs,
    long allocatedBytes) {
  EndCounts withHeap(long bytes) {
    return new EndCounts(frames, bulkWrites, wireBytes, verbs, bytes);
  }

  EndCounts since(EndCounts earlier) {
    return new EndCounts(
        frames - earlier.frames,
        bulkWrites - earlier.bulkWrites,
        wireBytes - earlier.wireBytes,
        verbs == null || earlier.verbs == null ? null : verbs.since(earlier.verbs),
        allocatedBytes - earlier.allocatedBytes);
  }
}
