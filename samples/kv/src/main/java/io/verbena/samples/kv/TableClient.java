package io.verbena.samples.kv;

import io.verbena.api.Session;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.RegionView;
import io.verbena.core.VerbenaClient;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * Puts small values and gets them: {@code java ... TableClient HOST:7404 put KEY VALUE}, or {@code
 * get KEY}. Safe for use by any thread.
 */
public final class TableClient {
  private final Session session;
  private final Table table;
  private volatile RegionRef buckets;

  TableClient(Session session) {
    this.session = session;
    this.table = TableRpc.client(session);
    this.buckets = table.open();
  }

  /** Stores a value, by a call. */
  void put(String key, byte[] value) {
    table.put(key, value);
  }

  /**
   * Reads a value in place: over RDMA the server's processor does nothing. If another key has the
   * bucket, a call reads it.
   */
  Optional<byte[]> get(String key) throws InterruptedException {
    Bucket bucket;
    try {
      bucket = read(key);
    } catch (ExecutionException e) {
      buckets = table.open(); // its lease may be over, or this may be another server
      return table.get(key);
    }
    if (bucket.isEmpty()) {
      return Optional.empty();
    }
    return bucket.has(key) ? Optional.of(bucket.value()) : table.get(key);
  }

  private Bucket read(String key) throws InterruptedException, ExecutionException {
    RegionRef ref = buckets;
    long place = Bucket.place(key, ref.length());
    RegionView view = RegionView.of(session.regions(), ref, 0, Bucket.LAYOUT).at(place);
    return Bucket.in(view.getVersioned(Bucket.VERSION).get());
  }

  /** Returns the same table, read by calls alone. */
  Table byCalls() {
    return table;
  }

  /** Puts or gets once. */
  public static void main(String[] args) throws InterruptedException {
    boolean puts = args.length == 4 && args[1].equals("put");
    if (!puts && !(args.length == 3 && args[1].equals("get"))) {
      System.err.println("usage: TableClient HOST:PORT put KEY VALUE | get KEY");
      System.exit(2);
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(args[0])) {
      TableClient table = new TableClient(session);
      if (puts) {
        table.put(args[2], args[3].getBytes(StandardCharsets.UTF_8));
      } else {
        System.out.println(
            table
                .get(args[2])
                .map(value -> new String(value, StandardCharsets.UTF_8))
                .orElse("there is no '" + args[2] + "'"));
      }
    }
  }
}
