package io.verbena.it;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Flow;

/** A contract with streams. */
@RpcService(name = "quotes.v1")
interface Quotes {
  /** A price at a time. */
  record Quote(String symbol, long price, MemorySegment chart) {}

  /** There is no such symbol. */
  final class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    public Unknown(String message) {
      super(message);
    }
  }

  @RpcMethod(id = 1)
  Flow.Publisher<Quote> watch(String symbol, int chartBytes) throws Unknown;

  @RpcMethod(id = 2)
  long total(Flow.Publisher<Long> amounts);

  @RpcMethod(id = 3)
  Flow.Publisher<Long> doubled(Flow.Publisher<Long> amounts);

  @RpcMethod(id = 4, timeout = "300ms")
  Flow.Publisher<Quote> watchBriefly(String symbol);
}
