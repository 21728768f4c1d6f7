package io.verbena.bench.counts;

import io.verbena.bench.verbena.Route;

/**
 * What some operations of a load have cost both ends.
 *
 * @param load what was done
 * @param route on what
 * @param operations how often
 * @param client what the end did that began them
 * @param server what the other did
 */
public record Counts(
    StandardLoad load, Route route, int operations, EndCounts client, EndCounts server) {
  /** Returns these with what the same load has taken of the heap. */
  Counts withHeapOf(Counts same) {
    return new Counts(
        load,
        route,
        operations,
        client.withHeap(same.client.allocatedBytes()),
        server.withHeap(same.server.allocatedBytes()));
  }

  /** Returns how many bytes of heap both ends took. */
  long allocated() {
    return client.allocatedBytes() + server.allocatedBytes();
  }
}
