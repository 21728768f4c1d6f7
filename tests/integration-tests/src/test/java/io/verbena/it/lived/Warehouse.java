package io.verbena.it.lived;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.api.CallContext;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;

/** The contract of a server whose memory is short. */
@RpcService(name = "warehouse.v1")
interface Warehouse {
  /** Returns what comes after a number, on the loop. */
  @RpcMethod(id = 1, nonBlocking = true)
  int next(int number);

  /** Returns how many bytes it was given. */
  @RpcMethod(id = 2, timeout = "1m")
  int store(byte[] goods);

  /** Returns so many bytes. */
  @RpcMethod(id = 3, timeout = "1m")
  byte[] fetch(int bytes);

  /** Takes goods one by one, and never comes to the end: each takes it long. */
  @RpcMethod(id = 4, timeout = "1m")
  int sort(Flow.Publisher<byte[]> goods);

  /** Looks at goods for as long as its caller waits. */
  @RpcMethod(id = 5, timeout = "1m")
  int inspect(String goods);

  /** The same, of an array. */
  @RpcMethod(id = 6, timeout = "1m")
  int weigh(byte[] goods);

  /** Answers by the book. */
  final class Plain implements Warehouse {
    @Override
    public int next(int number) {
      return number + 1;
    }

    @Override
    public int store(byte[] goods) {
      return goods.length;
    }

    @Override
    public byte[] fetch(int bytes) {
      return new byte[bytes];
    }

    @Override
    public int sort(Flow.Publisher<byte[]> goods) {
      try (StreamIterator<byte[]> each = Streams.iterate(goods)) {
        return each.hasNext() ? inspect(new String(each.next(), UTF_8)) : 0;
      }
    }

    @Override
    public int inspect(String goods) {
      CountDownLatch over = new CountDownLatch(1);
      CallContext.current().onCancel(over::countDown);
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return goods.length();
    }

    @Override
    public int weigh(byte[] goods) {
      return inspect("") + goods.length;
    }
  }
}
