package io.verbena.compression;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.List;
import java.util.concurrent.Flow;

/** A contract whose messages are long texts. */
@RpcService(name = "library.v1")
interface Library {
  /** There is no such page. */
  final class Missing extends Exception {
    private static final long serialVersionUID = 1L;

    public Missing(String message) {
      super(message);
    }
  }

  @RpcMethod(id = 1)
  String copy(String page);

  @RpcMethod(id = 2)
  byte[] scan(byte[] page);

  @RpcMethod(id = 3)
  Flow.Publisher<String> pages(String text, int pages);

  @RpcMethod(id = 4)
  long count(Flow.Publisher<String> pages);

  @RpcMethod(id = 5)
  void note(String page) throws Missing;

  @RpcMethod(id = 6, oneway = true)
  void shelve(List<String> pages);

  @RpcMethod(id = 7, nonBlocking = true)
  String glance(String page);
}
