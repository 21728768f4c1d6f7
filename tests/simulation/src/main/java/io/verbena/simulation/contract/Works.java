package io.verbena.simulation.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import java.util.concurrent.Flow;

/** The service of simulated servers. Every call has a number, so that executions are counted. */
@RpcService(name = "sim.works.v1")
public interface Works {
  /** Counts, which is not idempotent. */
  @RpcMethod(id = 1)
  long count(long op);

  /** Counts on the loop. */
  @RpcMethod(id = 2, nonBlocking = true)
  long countNow(long op);

  /** Returns its argument. */
  @RpcMethod(id = 3)
  byte[] echo(long op, byte[] value);

  /** Counts without an answer. */
  @RpcMethod(id = 4, oneway = true)
  void note(long op);

  /** Calls the caller back several times. */
  @RpcMethod(id = 5)
  long tour(long op, int stops);

  /** Takes a given time. */
  @RpcMethod(id = 6)
  long work(long op, long nanos);

  /** Throws a declared or an undeclared exception. */
  @RpcMethod(id = 7)
  long fail(long op, boolean declared) throws Refused;

  /** Answers with an object, into the caller's landing. */
  @RpcMethod(id = 8)
  Received read(long op, int length, Landing into);

  /** Publishes an object for a fetch. */
  @RpcMethod(id = 9)
  ObjectRef publish(long op, int length);

  /** Pushes an object to the caller. */
  @RpcMethod(id = 10)
  void send(long op);

  /** Fetches an object that the caller has published. */
  @RpcMethod(id = 11)
  void take(long op, ObjectRef ref);

  /** Sends a stream. */
  @RpcMethod(id = 12)
  Flow.Publisher<Item> watch(long op);

  /** Takes a stream. */
  @RpcMethod(id = 13)
  long collect(long op, Flow.Publisher<Item> items);

  /** Takes one stream and sends another. */
  @RpcMethod(id = 14)
  Flow.Publisher<Item> exchange(long op, Flow.Publisher<Item> items);

  /** Makes a call with streams to the caller. */
  @RpcMethod(id = 15)
  void streamBack(long op);
}
