package io.verbena.cli.calibrate;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.lang.foreign.MemorySegment;

/** Takes loads, to see how long they are on their way. */
@RpcService(name = "verbena.scales.v1")
interface Scales {
  /** Returns a load's length. */
  @RpcMethod(id = 1, nonBlocking = true, idempotent = true)
  int weigh(byte[] load);

  /** Returns the length of a load that may stand outside of the heap, where it can be pinned. */
  @RpcMethod(id = 2, nonBlocking = true, idempotent = true)
  long weighSegment(MemorySegment load);

  /** Scales that weigh. */
  final class True implements Scales {
    @Override
    public int weigh(byte[] load) {
      return load.length;
    }

    @Override
    public long weighSegment(MemorySegment load) {
      return load.byteSize();
    }
  }
}
