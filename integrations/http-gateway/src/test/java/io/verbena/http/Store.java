package io.verbena.http;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;

/** The contract that these tests call. */
@RpcService(name = "store.v1")
public interface Store {
  @RpcMethod(id = 1)
  Value get(String key) throws NoSuchKey;

  @RpcMethod(id = 2)
  void put(String key, Value value);

  @RpcMethod(id = 3)
  Flow.Publisher<Integer> count(int from, int to);

  @RpcMethod(id = 4)
  long sum(String what, Flow.Publisher<Integer> numbers);

  @RpcMethod(id = 5)
  String who(String metadata);

  @RpcMethod(id = 6, timeout = "200ms")
  void sleep();

  @RpcMethod(id = 7, oneway = true)
  void note(String text);

  @RpcMethod(id = 8)
  byte[] bytes(int length);

  @RpcMethod(id = 9)
  Flow.Publisher<String> endless(int length);

  @RpcMethod(id = 10)
  Flow.Publisher<Integer> broken();

  @RpcMethod(id = 11)
  Received picture(Landing into);

  @RpcMethod(id = 12)
  long held();

  @RpcMethod(id = 13)
  int length(byte[] bytes);

  @RpcMethod(id = 14)
  Failure last();

  /** A stream without an item, and without an end. */
  @RpcMethod(id = 15)
  Flow.Publisher<Integer> silent();

  /** A value with something of each kind. */
  @SuppressWarnings("ArrayRecordComponent") // contracts may have them
  record Value(
      String text,
      long version,
      Optional<LocalDate> since,
      List<Colour> colours,
      Map<String, Integer> counts,
      Packing packing,
      byte[] bytes) {}

  /** Is called as what calls fail with. */
  record Failure(String cause) {}

  enum Colour {
    RED,
    GREEN
  }

  sealed interface Packing permits Box, Loose {}

  @RpcType(id = 1)
  record Box(int pieces) implements Packing {}

  @RpcType(id = 2)
  record Loose() implements Packing {}

  /** Nothing is kept under that key. */
  class NoSuchKey extends Exception {
    private static final long serialVersionUID = 1L;

    public NoSuchKey(String message) {
      super(message);
    }
  }
}
