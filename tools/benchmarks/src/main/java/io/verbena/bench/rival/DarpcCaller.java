package io.verbena.bench.rival;

import com.ibm.darpc.DaRPCClientEndpoint;
import com.ibm.darpc.DaRPCClientGroup;
import com.ibm.darpc.DaRPCFuture;
import com.ibm.darpc.DaRPCStream;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.verbs.disni.DisniBridge;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A connection of DaRPC. One thread starts calls, and polls while answers are outstanding. */
final class DarpcCaller implements Caller {
  private final DaRPCClientGroup<DarpcMessage, DarpcMessage> group;
  private final DaRPCClientEndpoint<DarpcMessage, DarpcMessage> endpoint;
  private final DaRPCStream<DarpcMessage, DarpcMessage> stream;
  private final BlockingQueue<Call> waiting = new LinkedBlockingQueue<>();
  private final Map<DaRPCFuture<DarpcMessage, DarpcMessage>, Call> underWay = new HashMap<>();
  private final Thread poller;
  private volatile boolean closing;

  /** The failure of the connection; null while it works. */
  private volatile @Nullable Exception broken;

  DarpcCaller(String host, int port) throws IOException {
    useDevices();
    try {
      group =
          DaRPCClientGroup.createClientGroup(
              new DarpcMessage.Protocol(),
              DarpcMessage.TIMEOUT_MILLIS,
              0,
              DarpcMessage.DEPTH,
              DarpcMessage.DEPTH);
      DarpcMessage.retry(group.getConnParam());
      endpoint = group.createEndpoint();
      endpoint.connect(new InetSocketAddress(host, port), DarpcMessage.TIMEOUT_MILLIS);
      stream = endpoint.createStream();
    } catch (Exception e) { // DaRPC declares no other
      throw new IOException("DaRPC does not connect: " + e.getMessage(), e);
    }
    poller = Thread.ofPlatform().daemon().name("darpc-poll").unstarted(this::poll);
    poller.start();
  }

  /** Makes DaRPC use the devices of this host. */
  static void useDevices() throws IOException {
    Optional<VerbsException> problem = DisniBridge.install();
    if (problem.isPresent()) {
      throw new IOException(problem.get().getMessage(), problem.get());
    }
  }

  @Override
  public void start(Call call) {
    waiting.add(call);
    Exception known = broken;
    if (known != null) {
      failWaiting(known);
    }
  }

  private void poll() {
    try {
      while (!closing) {
        Call next = underWay.isEmpty() ? waiting.take() : waiting.poll();
        if (next != null) {
          request(next);
        }
        DaRPCFuture<DarpcMessage, DarpcMessage> answered = stream.poll();
        if (answered != null) {
          end(answered);
        }
      }
    } catch (IOException | RuntimeException e) {
      broken = e;
      underWay.values().forEach(call -> call.failed(e));
      failWaiting(e);
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void failWaiting(Exception cause) {
    for (Call call = waiting.poll(); call != null; call = waiting.poll()) {
      call.failed(cause);
    }
  }

  private void request(Call call) throws IOException {
    DarpcMessage message = new DarpcMessage();
    message.bytes(call.message());
    underWay.put(stream.request(message, new DarpcMessage(), true), call);
  }

  private void end(DaRPCFuture<DarpcMessage, DarpcMessage> future) {
    @Nullable Call call = underWay.remove(future);
    if (call == null) {
      throw new IllegalStateException("an answer arrived without a call");
    }
    call.answered(future.getReceiveMessage().bytes());
  }

  @Override
  public String path() {
    return "rdma (DaRPC 1.9)";
  }

  @Override
  public void close() {
    closing = true;
    poller.interrupt();
    try {
      endpoint.close();
      group.close();
    } catch (IOException e) {
      // nothing can be done about it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
