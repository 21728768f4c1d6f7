package io.verbena.shm;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.Flow;
import java.util.stream.LongStream;

/** Every kind of answer. */
@RpcService(name = "library.v1")
interface Library {
  @RpcMethod(id = 1)
  String echo(String text);

  @RpcMethod(id = 2)
  Flow.Publisher<Long> count(int to);

  @RpcMethod(id = 3)
  Received bytes(long length, Landing into);

  /** Computes the byte at an index. */
  static byte at(long place) {
    return (byte) ((place * 31) >> 3);
  }

  /** Its service. */
  final class Open implements Library {
    @Override
    public String echo(String text) {
      return text;
    }

    @Override
    public Flow.Publisher<Long> count(int to) {
      return Streams.of(LongStream.range(0, to).boxed().toList());
    }

    @Override
    public Received bytes(long length, Landing into) {
      return Received.from(
          Source.generator(
              length,
              (chunk, offset) -> {
                for (long i = 0; i < chunk.byteSize(); i++) {
                  chunk.set(ValueLayout.JAVA_BYTE, i, at(offset + i));
                }
              }));
    }
  }
}
