package io.verbena.it.lived;

import io.verbena.api.CallContext;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** A service whose handlers take time, and tell when they were not left it. */
@RpcService(name = "patient.v1")
interface Patient {
  /** Takes so long; returns the milliseconds that were left when it began. */
  @RpcMethod(id = 1)
  long work(long millis) throws StoppedEarly;

  /** Returns what it was given, on the loop. */
  @RpcMethod(id = 2, nonBlocking = true)
  long ping(long number);

  /** The handler was interrupted. */
  final class StoppedEarly extends Exception {
    private static final long serialVersionUID = 1L;

    /** Says when. */
    public StoppedEarly(String message) {
      super(message);
    }
  }

  /** Does as it is told. */
  final class Plain implements Patient {
    @Override
    public long work(long millis) throws StoppedEarly {
      long left = CallContext.current().remaining().toMillis();
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        throw new StoppedEarly("with " + left + " ms left when it began");
      }
      return left;
    }

    @Override
    public long ping(long number) {
      return number;
    }
  }
}
