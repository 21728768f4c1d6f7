package io.verbena.samples.kv;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import java.nio.file.Path;
import java.time.Duration;

/** Puts files and gets them: {@code java ... StoreClient HOST:7404 put|get KEY FILE}. */
public final class StoreClient {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final Session session;
  private final Store store;

  StoreClient(Session session) {
    this.session = session;
    this.store = StoreRpc.client(session);
  }

  /** Lets the store fetch a value from here. The value may change once this returns. */
  void put(String key, Source value) {
    try (Published published = session.objects().publish(value, LEASE)) {
      store.put(key, published.ref());
    }
  }

  /** Lets the store write a value into the landing. */
  Received get(String key, Landing into) throws NoSuchKey {
    return store.get(key, into);
  }

  Store store() {
    return store;
  }

  /** Puts or gets once. */
  public static void main(String[] args) throws Exception {
    if (args.length != 4 || !args[1].matches("put|get")) {
      System.err.println("usage: StoreClient HOST:PORT put|get KEY FILE");
      System.exit(2);
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(args[0])) {
      StoreClient store = new StoreClient(session);
      Path file = Path.of(args[3]);
      if (args[1].equals("put")) {
        store.put(args[2], Source.file(file));
      } else {
        store.get(args[2], Landing.file(file)).close();
      }
    }
  }
}
