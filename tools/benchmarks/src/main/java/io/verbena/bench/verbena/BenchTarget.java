package io.verbena.bench.verbena;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The target of measured calls. */
@RpcService(name = "bench.target")
public interface BenchTarget {
  /** Returns the message; handled on the event loop. */
  @RpcMethod(id = 1, nonBlocking = true)
  byte[] echo(byte[] message);

  /** Returns the message; handled on a virtual thread. */
  @RpcMethod(id = 2)
  byte[] echoOnThread(byte[] message);

  /** Takes the message and returns its number; handled on the event loop. */
  @RpcMethod(id = 3, nonBlocking = true)
  long push(byte[] message);

  /** Takes the message and returns its number; handled on a virtual thread. */
  @RpcMethod(id = 4)
  long pushOnThread(byte[] message);

  /** Returns a message of this size and number; handled on the event loop. */
  @RpcMethod(id = 5, nonBlocking = true)
  byte[] pull(int size, long number);

  /** Returns a message of this size and number; handled on a virtual thread. */
  @RpcMethod(id = 6)
  byte[] pullOnThread(int size, long number);

  /** Counts the message. */
  @RpcMethod(id = 7, oneway = true, nonBlocking = true)
  void drop(byte[] message);

  /** Returns the number of messages that this server has counted. */
  @RpcMethod(id = 8, nonBlocking = true)
  long dropped();
}
