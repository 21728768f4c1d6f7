package io.verbena.samples.kv;

import io.verbena.api.CallContext;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The store: {@code java ... StoreServer 7404}. Safe for use by any thread. */
public final class StoreServer implements Store {
  private static final long LONGEST_VALUE = 4L << 30;

  /** 16 MiB of small values that are read without a call. */
  private static final int BUCKETS = 1 << 16;

  /** The time limit of its call. */
  private static final TransferOptions IN_TIME =
      TransferOptions.DEFAULT.withTimeout(Duration.ofMinutes(1));

  /**
   * Values live outside the heap, each until it is not read any more: a replaced value may still be
   * on its way to a client.
   */
  private final Map<String, MemorySegment> values = new ConcurrentHashMap<>();

  @Override
  public Received get(String key, Landing into) throws NoSuchKey {
    MemorySegment value = values.get(key);
    if (value == null) {
      throw new NoSuchKey("there is no '" + key + "'");
    }
    return Received.from(Source.of(value));
  }

  @Override
  public void put(String key, ObjectRef value) {
    if (value.length() > LONGEST_VALUE) { // before memory is allocated for a length from a client
      throw new IllegalArgumentException(
          "a value has at most %d bytes, and that of '%s' has %d"
              .formatted(LONGEST_VALUE, key, value.length()));
    }
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, value.length()));
    MemorySegment exactly = memory.asSlice(0, value.length());
    fetch(value, exactly);
    values.put(key, exactly);
  }

  private static void fetch(ObjectRef value, MemorySegment into) {
    Session caller = CallContext.current().session();
    Transfer transfer = caller.objects().fetch(value, Landing.of(into), IN_TIME);
    try {
      transfer.get().close();
    } catch (InterruptedException e) {
      transfer.cancel();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the caller gave up", e);
    }
  }

  @Override
  public Optional<Long> length(String key) {
    return Optional.ofNullable(values.get(key)).map(MemorySegment::byteSize);
  }

  @Override
  public boolean remove(String key) {
    return values.remove(key) != null;
  }

  static VerbenaServer start(VerbenaServer.Builder builder) {
    return builder
        .serve(StoreRpc.bind(new StoreServer()))
        .serve(TableRpc.bind(new TableServer(BUCKETS)))
        .start();
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 1) {
      System.err.println("usage: StoreServer PORT");
      System.exit(2);
    }
    VerbenaServer.Builder builder = VerbenaServer.builder().listen("0.0.0.0:" + args[0]);
    try (VerbenaServer server = start(builder)) {
      System.out.println("store at " + server.address());
      server.awaitClose();
    }
  }
}
