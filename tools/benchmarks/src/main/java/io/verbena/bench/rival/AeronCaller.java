package io.verbena.bench.rival;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Two streams of Aeron. One thread starts calls, and polls while answers are outstanding. */
final class AeronCaller implements Caller {
  private final Aeron aeron;
  private final ExclusivePublication out;
  private final Subscription in;
  private final BlockingQueue<Call> waiting = new LinkedBlockingQueue<>();
  private final ArrayDeque<Call> underWay = new ArrayDeque<>();
  private final FragmentHandler taking = this::take;
  private final UnsafeBuffer message = new UnsafeBuffer(0, 0);
  private final Thread poller;
  private volatile boolean closing;

  AeronCaller(int number) {
    aeron = AeronIpc.connect(number);
    in = aeron.addSubscription(AeronIpc.CHANNEL, AeronIpc.TO_CLIENT);
    out = aeron.addExclusivePublication(AeronIpc.CHANNEL, AeronIpc.TO_SERVER);
    poller = Thread.ofPlatform().daemon().name("aeron-poll").unstarted(this::poll);
    poller.start();
  }

  @Override
  public void start(Call call) {
    waiting.add(call);
  }

  private void poll() {
    try {
      while (!closing) {
        Call next = underWay.isEmpty() ? waiting.take() : waiting.poll();
        if (next != null) {
          underWay.add(next);
          message.wrap(next.message());
          AeronIpc.send(out, message, 0, message.capacity());
        }
        in.poll(taking, AeronIpc.MOST_AT_ONCE);
      }
    } catch (InterruptedException e) {
      // closed
    } catch (RuntimeException e) {
      underWay.forEach(call -> call.failed(e));
      waiting.forEach(call -> call.failed(e));
    }
  }

  private void take(DirectBuffer buffer, int offset, int length, Header header) {
    byte[] answer = new byte[length];
    buffer.getBytes(offset, answer);
    underWay.remove().answered(answer);
  }

  @Override
  public String path() {
    return "shared memory (Aeron IPC)";
  }

  @Override
  public void close() {
    closing = true;
    poller.interrupt();
    try {
      poller.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    aeron.close();
  }
}
