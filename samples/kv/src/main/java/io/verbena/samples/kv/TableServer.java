package io.verbena.samples.kv;

import io.verbena.api.CallContext;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The table: all values in a map, and in each bucket the one that was put last. Safe for use by any
 * thread.
 */
final class TableServer implements Table {
  private static final Duration LEASE = Duration.ofHours(1);

  private final Map<String, byte[]> values = new HashMap<>();

  /** Freed when neither this server nor a session uses it any more. */
  private final MemorySegment buckets;

  TableServer(int buckets) {
    this.buckets = Arena.ofAuto().allocate(Bucket.LAYOUT, buckets);
  }

  @Override
  public RegionRef open() {
    Regions regions = CallContext.current().session().regions();
    return regions.expose(buckets, Regions.READ, LEASE).ref();
  }

  @Override
  public synchronized Optional<byte[]> get(String key) {
    return Optional.ofNullable(values.get(key));
  }

  @Override
  public synchronized void put(String key, byte[] value) {
    Bucket bucket = Bucket.of(key, value);
    values.put(key, value);
    long at = Bucket.place(key, buckets.byteSize()) * Bucket.LAYOUT.byteSize();
    bucket.writeTo(buckets.asSlice(at, Bucket.LAYOUT));
  }
}
