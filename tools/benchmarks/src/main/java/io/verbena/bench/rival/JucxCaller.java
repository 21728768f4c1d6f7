package io.verbena.bench.rival;

import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;

/** Starts calls or puts, and polls while answers are outstanding. */
final class JucxCaller extends JucxEnd implements Caller {
  private final BlockingQueue<Call> waiting = new LinkedBlockingQueue<>();
  private final ArrayDeque<Call> underWay = new ArrayDeque<>();
  private final UcpEndpoint peer;
  private final boolean puts;

  /** Where the memory of puts is, here and there; null until the server has said so. */
  private @Nullable Places places;

  /** Number of puts whose bytes may not have arrived yet. */
  private int flying;

  /** Puts whose bytes are there, in the order in which they arrived. */
  private final ArrayDeque<Put> arrived = new ArrayDeque<>();

  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final ArrayDeque<Integer> taken = new ArrayDeque<>();
  private final ByteBuffer note = ByteBuffer.allocateDirect(LANDED_BYTES);
  private final int size;

  private record Places(ByteBuffer bytes, long here, long there, UcpRemoteKey key) {}

  private record Put(Call call, int offset) {}

  /**
   * Connects.
   *
   * @param exchange calls have answers of their own length
   */
  JucxCaller(String host, int port, Exchange exchange) throws IOException {
    super(2, new BusySpinIdleStrategy());
    size = exchange.requestBytes();
    puts = size != exchange.replyBytes();
    peer =
        worker.newEndpoint(
            new UcpEndpointParams().setSocketAddress(new InetSocketAddress(host, port)));
    receive();
    if (puts) {
      for (int at = 0; at + size <= WINDOW_BYTES; at += size) {
        free.add(at);
      }
      learnPlaces();
    }
    run("jucx-poll");
  }

  private void learnPlaces() throws IOException {
    try {
      send(peer, ByteBuffer.allocate(WHERE_BYTES));
      while (places == null) {
        poll();
      }
    } catch (Exception e) { // UCX's binding declares no other
      throw new IOException("UCX failed: " + e.getMessage(), e);
    }
  }

  @Override
  public void start(Call call) {
    waiting.add(call);
  }

  @Override
  void turn() throws Exception {
    boolean isIdle = underWay.isEmpty() && flying == 0 && arrived.isEmpty();
    Call next = isIdle ? waiting.take() : waiting.poll();
    if (next != null) {
      Places known = places;
      if (known != null) {
        put(next, known);
      } else {
        underWay.add(next);
        send(peer, ByteBuffer.wrap(next.message()));
      }
    }
    for (Put put = arrived.poll(); put != null; put = arrived.poll()) {
      underWay.add(put.call);
      taken.add(put.offset);
      send(peer, note.clear().putInt(put.offset).flip());
    }
  }

  /** Writes, and has the server told when the bytes are there: UCX keeps no order without that. */
  private void put(Call call, Places known) throws Exception {
    int offset = free.remove();
    known.bytes.putLong(offset, call.number());
    flying++;
    peer.putNonBlocking(known.here + offset, size, known.there + offset, known.key, NOTHING);
    peer.flushNonBlocking(
        new UcxCallback() {
          @Override
          public void onSuccess(UcpRequest request) {
            flying--;
            arrived.add(new Put(call, offset));
          }
        });
  }

  @Override
  void take(ByteBuffer message) {
    if (puts && places == null) {
      long there = message.getLong();
      ByteBuffer key = ByteBuffer.allocateDirect(message.remaining()).put(message).flip();
      long here = window().getAddress();
      ByteBuffer bytes = UcxUtils.getByteBufferView(here, WINDOW_BYTES);
      places = new Places(bytes, here, there, peer.unpackRemoteKey(key));
    } else if (puts) {
      free.add(taken.remove());
      underWay.remove().answered(message.getLong());
    } else {
      byte[] answer = new byte[message.remaining()];
      message.get(answer);
      underWay.remove().answered(answer);
    }
  }

  @Override
  void failed(Exception e) {
    underWay.forEach(call -> call.failed(e));
    arrived.forEach(put -> put.call.failed(e));
    waiting.forEach(call -> call.failed(e));
  }

  @Override
  public String path() {
    return "UCX over " + System.getenv().getOrDefault("UCX_TLS", "what it chooses");
  }

  @Override
  void release() {
    Places known = places;
    if (known != null) {
      known.key.close();
    }
  }
}
