package io.verbena.it;

import io.verbena.api.CallContext;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Publishes, and fetches half. */
final class PlainDepot implements Depot {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final Runnable inTheMiddle;

  /** Has something run in the middle of each fetch, before it stops. */
  PlainDepot(Runnable inTheMiddle) {
    this.inTheMiddle = inTheMiddle;
  }

  @Override
  public ObjectRef publish(long bytes) {
    return CallContext.current().session().objects().publish(Pattern.source(bytes), LEASE).ref();
  }

  @Override
  public void beginToFetch(ObjectRef object) {
    Landing.ChunkConsumer slow =
        (_, offset) -> {
          if (offset > 0) {
            inTheMiddle.run();
            new CountDownLatch(1).await();
          }
        };
    CallContext.current().session().objects().fetch(object, Landing.chunks(slow));
  }
}
