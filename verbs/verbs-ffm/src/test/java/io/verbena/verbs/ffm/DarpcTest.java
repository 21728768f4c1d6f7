package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.darpc.DaRPCClientEndpoint;
import com.ibm.darpc.DaRPCClientGroup;
import com.ibm.darpc.DaRPCFuture;
import com.ibm.darpc.DaRPCMessage;
import com.ibm.darpc.DaRPCServerEndpoint;
import com.ibm.darpc.DaRPCServerEvent;
import com.ibm.darpc.DaRPCServerGroup;
import com.ibm.darpc.DaRPCService;
import com.ibm.darpc.DaRPCStream;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.disni.DisniBridge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** DaRPC 1.9, from its published jar, on this provider. */
@Tag("lab")
class DarpcTest {
  private static final int PORT = 18_530;
  private static final int TIMEOUT_MILLIS = 1_000;
  private static final int DEPTH = 16;
  private static final int CALLS = 500;

  /** A message of one number. */
  public static final class Value implements DaRPCMessage {
    private int value;

    @Override
    public int write(ByteBuffer buffer) {
      buffer.putInt(value);
      return Integer.BYTES;
    }

    @Override
    public void update(ByteBuffer buffer) {
      value = buffer.getInt();
    }

    @Override
    public int size() {
      return Integer.BYTES;
    }
  }

  /** Answers each number with the next. */
  public static final class Successor implements DaRPCService<Value, Value> {
    @Override
    public Value createRequest() {
      return new Value();
    }

    @Override
    public Value createResponse() {
      return new Value();
    }

    @Override
    public void processServerEvent(DaRPCServerEvent<Value, Value> event) throws IOException {
      event.getSendMessage().value = event.getReceiveMessage().value + 1;
      event.triggerResponse();
    }

    @Override
    public void open(DaRPCServerEndpoint<Value, Value> endpoint) {}

    @Override
    public void close(DaRPCServerEndpoint<Value, Value> endpoint) {}
  }

  private static void retry(RdmaConnParam parameters) throws IOException {
    parameters.setRetry_count((byte) 7);
    parameters.setRnr_retry_count((byte) 7);
  }

  @Test
  void answersEveryCallAtDepthSixteen() throws Exception {
    assertThat(DisniBridge.install()).isEmpty();
    DaRPCServerGroup<Value, Value> serverGroup =
        DaRPCServerGroup.createServerGroup(
            new Successor(), new long[] {1}, TIMEOUT_MILLIS, 0, false, DEPTH, DEPTH, DEPTH, 4);
    retry(serverGroup.getConnParam());
    RdmaServerEndpoint<DaRPCServerEndpoint<Value, Value>> listener =
        serverGroup.createServerEndpoint();
    listener.bind(LabDevice.ipv4(PORT), 10);
    Thread acceptor =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    listener.accept();
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                });
    DaRPCClientGroup<Value, Value> clientGroup =
        DaRPCClientGroup.createClientGroup(new Successor(), TIMEOUT_MILLIS, 0, DEPTH, DEPTH);
    retry(clientGroup.getConnParam());
    DaRPCClientEndpoint<Value, Value> client = clientGroup.createEndpoint();
    client.connect(LabDevice.ipv4(PORT), TIMEOUT_MILLIS);
    acceptor.join();

    callAll(client.createStream());

    client.close();
    clientGroup.close();
    serverGroup.close();
  }

  private static void callAll(DaRPCStream<Value, Value> stream) throws Exception {
    Queue<DaRPCFuture<Value, Value>> outstanding = new ArrayDeque<>();
    for (int i = 0; i < CALLS; i++) {
      if (outstanding.size() == DEPTH / 2) {
        checkOldest(outstanding);
      }
      Value request = new Value();
      request.value = i;
      outstanding.add(stream.request(request, new Value(), false));
    }
    while (!outstanding.isEmpty()) {
      checkOldest(outstanding);
    }
  }

  private static void checkOldest(Queue<DaRPCFuture<Value, Value>> outstanding) throws Exception {
    DaRPCFuture<Value, Value> oldest = outstanding.remove();
    Value answer = oldest.get(10_000, TimeUnit.MILLISECONDS);
    assertThat(answer.value).isEqualTo(oldest.getSendMessage().value + 1);
  }
}
