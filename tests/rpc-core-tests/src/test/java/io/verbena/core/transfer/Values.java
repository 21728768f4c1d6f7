package io.verbena.core.transfer;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/** A contract whose arguments and results are large values. */
@RpcService(name = "values.v1")
interface Values {
  /** Values of every kind, small and large. */
  @SuppressWarnings("ArrayRecordComponent") // arrays are what is tested
  record Mixed(String name, byte[] first, MemorySegment second, List<ByteBuffer> more) {}

  @RpcMethod(id = 1)
  MemorySegment echo(MemorySegment value);

  @RpcMethod(id = 2)
  Mixed mixed(Mixed value);

  @RpcMethod(id = 3, oneway = true)
  void keep(byte[] value);

  @RpcMethod(id = 4, nonBlocking = true)
  ByteBuffer onTheLoop(ByteBuffer value);

  @RpcMethod(id = 5)
  int count(byte[] value);

  @RpcMethod(id = 6)
  byte[] make(int length);
}
