package io.verbena.it.lived;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** What is called where memory is short. */
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
  }
}
