package io.verbena.testkit.callers;

import io.verbena.api.CallContext;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.function.IntConsumer;

/** The contract. */
@RpcService(name = "pilot.v1")
public interface Pilot {
  @RpcMethod(id = 1)
  Place echo(int number);

  /** Its handler runs on the event loop. */
  @RpcMethod(id = 2, nonBlocking = true)
  int quick(int number);

  /** Has the caller's {@link #quick} called. */
  @RpcMethod(id = 3)
  int back(int number);

  /** Answers after some time; fails if it is stopped meanwhile. */
  @RpcMethod(id = 4)
  Place late(int number, int millis);

  /** A result that tells where it is made: at the handler, and where the reply is read. */
  record Place(int number) {
    /** Receives each number, on the thread that makes the result. */
    public static volatile IntConsumer made = number -> {};

    public Place {
      made.accept(number);
    }
  }

  /** Its service. */
  class Served implements Pilot {
    @Override
    public Place echo(int number) {
      return new Place(number);
    }

    @Override
    public int quick(int number) {
      return number;
    }

    @Override
    public int back(int number) {
      return PilotRpc.client(CallContext.current().session()).quick(number);
    }

    @Override
    public Place late(int number, int millis) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) { // a result made now could still come before the timer
        throw new IllegalStateException("the caller has given up", e);
      }
      return new Place(number);
    }
  }
}
