package io.verbena.grpc;

import io.grpc.Status;
import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireIn;
import io.verbena.core.CarriedCalls;
import io.verbena.core.CarriedPieces;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one session at one of its ends. It passes pieces and credits to them, and shares
 * the session's window among them. On the session's loop, except {@link #run} and {@link
 * #dispatch}.
 */
final class Carrier {
  private static final ThrottledLog NO_MEMORY =
      ThrottledLog.of(Carrier.class, "messages for which there was no memory");

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final long NEVER = Long.MIN_VALUE;

  /**
   * Bytes of ended streams, and those of many streams together, are given back when they make up
   * this part of the window.
   */
  private static final int OWED_PART = 8;

  /** The credit of no stream, for bytes of streams that have ended. */
  private static final long NO_STREAM = 0;

  final Session session;
  final ServiceCaller caller;
  private final EventLoop loop;
  private final int mostMetadata;
  private final Consumer<String> broken;
  private final Long2ObjectHashMap<Pipe> pipes = new Long2ObjectHashMap<>();

  /** The bytes that this end may still send in all streams. */
  long window = GrpcContract.SESSION_WINDOW;

  /** The bytes that have arrived in all streams and have not been used. */
  private long unused;

  /** The used bytes of ended streams that the peer has not got back yet. */
  private long owed;

  /** The used bytes of other streams that the peer has not got back yet. */
  private long withheld;

  /** What the peer takes in one stream. */
  long streamWindow = GrpcContract.STREAM_WINDOW;

  /** When the last one-way call was sent or arrived; in nanoseconds of the loop's clock. */
  private long lastOneway = NEVER;

  /** Pipes that wait for room in the session. */
  private final ArrayDeque<Pipe> waiting = new ArrayDeque<>();

  private boolean timed;

  /**
   * Makes a carrier.
   *
   * @param broken ends the session for a reason, because its streams cannot go on
   */
  Carrier(Session session, int mostMetadata, Consumer<String> broken) {
    this.session = session;
    this.broken = broken;
    this.caller = session.caller(GrpcContract.SERVICE, CallOptions.DEFAULT);
    this.loop = CarriedCalls.loop(session);
    CarriedCalls.onPush(session, new LongPieces());
    this.mostMetadata = mostMetadata;
  }

  /** Runs a command on the loop: now, if this is its thread. Safe for use by any thread. */
  void run(Runnable command) {
    loop.runOrExecute(command::run);
  }

  /**
   * The commands of one stream, which run on the loop in the order in which they came, from any
   * thread. The loop's own thread, on which handlers may run, does not overtake others.
   */
  final class Commands {
    /** Those that other threads have handed over. */
    private final AtomicInteger under = new AtomicInteger();

    /** Runs a command: now, if this is the loop's thread and none is before it. */
    void run(Runnable command) {
      if (loop.isOwner() && under.get() == 0) {
        command.run();
        return;
      }
      under.incrementAndGet();
      loop.execute(
          () -> {
            under.decrementAndGet();
            command.run();
          });
    }
  }

  /** Runs a command on the loop, after the present one. Safe for use by any thread. */
  void later(Runnable command) {
    loop.execute(command::run);
  }

  /**
   * Tells streams, or others, one after the other. Code of users that throws when it is told, such
   * as an executor that was shut down, keeps no other from being told.
   */
  <T> void tellAll(Collection<T> all, Consumer<T> telling) {
    List.copyOf(all).forEach(one -> EventLoop.run(() -> telling.accept(one)));
  }

  /** Runs a command at the end of this cycle of the loop, or of the next one. */
  void atCycleEnd(Runnable command) {
    loop.atCycleEnd(command::run);
  }

  /** Runs a command on the loop after so many nanoseconds. */
  void after(long nanos, Runnable command) {
    loop.timers().schedule(loop.now() + nanos, now -> command.run());
  }

  void add(Pipe pipe) {
    pipes.put(pipe.id, pipe);
  }

  /**
   * Forgets a stream, and gives its bytes back to the peer.
   *
   * @param unusedBytes that have arrived
   * @param withheldBytes that were used
   */
  void remove(Pipe pipe, long unusedBytes, long withheldBytes) {
    if (pipes.get(pipe.id) == pipe) {
      pipes.remove(pipe.id);
      withheld -= withheldBytes;
      drop(unusedBytes + withheldBytes);
    }
  }

  /** Bytes of a stream have been used, which it gives back later. */
  void used(long bytes) {
    withheld += bytes;
    if (withheld >= GrpcContract.SESSION_WINDOW / OWED_PART) {
      List.copyOf(pipes.values()).forEach(Pipe::giveBack); // else none may ever have enough
    }
  }

  /** Gives bytes of no stream back, many at once. */
  private void drop(long bytes) {
    unused -= bytes;
    owed += bytes;
    if (owed >= GrpcContract.SESSION_WINDOW / OWED_PART) {
      tell(NO_STREAM, owed);
      owed = 0;
    }
  }

  // ---- sending ----

  boolean hasWindow() {
    return window > 0;
  }

  /**
   * Returns the nanoseconds until no one-way call is under way, in either direction. Each counts as
   * done up to 20 ms after it was executed.
   */
  long nanosUntilQuiet() {
    return lastOneway == NEVER ? 0 : Math.max(0, lastOneway + QUIET_NANOS - loop.now());
  }

  /**
   * Sends a one-way call. Returns false if there is no room for it now. If the session is over, it
   * is dropped: the calls of the streams fail by themselves.
   *
   * @throws RpcException if it can never be sent, such as one that is too long
   */
  boolean send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    try {
      caller.send(method, arguments);
      lastOneway = loop.now();
    } catch (RpcException e) {
      if (isFull(e)) {
        return false;
      }
      if (session.state() != SessionState.ENDED) {
        throw e;
      }
    }
    return true;
  }

  /** Returns whether a call was not sent because too many others are in flight. */
  static boolean isFull(RpcException e) {
    return e.status() == RpcStatus.RESOURCE_EXHAUSTED && e.phase() == CallPhase.QUEUED;
  }

  /**
   * Sends a long piece beside messages.
   *
   * @param lost receives the reason if it did not arrive
   */
  void push(long id, int sequence, boolean last, Frame frame, Consumer<Status> lost) {
    CarriedCalls.push(session, id, sequence, last, frame.bytes())
        .whenComplete(
            (sent, failure) -> {
              frame.free();
              if (failure != null) {
                window += frame.readableBytes();
                lost.accept(Statuses.ofLoss(failure));
                goOn();
              }
            });
  }

  /** Lets a pipe go on when there is room again. */
  void await(Pipe pipe) {
    waiting.add(pipe);
    retryLater();
  }

  private void retryLater() {
    if (!timed && hasWindow()) {
      timed = true;
      after(
          RETRY_NANOS,
          () -> {
            timed = false;
            goOn();
          });
    }
  }

  private void goOn() {
    try {
      for (int left = waiting.size(); left > 0 && hasWindow(); left--) {
        waiting.remove().goOn();
      }
    } finally {
      if (!waiting.isEmpty()) {
        retryLater(); // though the code of one stream's user has thrown
      }
    }
  }

  // ---- receiving ----

  /** Takes a call that both ends serve. On the thread of the dispatcher. */
  void dispatch(MethodDescriptor<?> method, WireIn in, IncomingCall call) {
    if (method.id() == GrpcContract.PIECE.id()) {
      long id = in.readVarLong();
      GrpcContract.Piece piece = GrpcContract.Piece.read(in, mostMetadata);
      call.handle(reply -> arrived(id, piece));
    } else {
      long id = in.readVarLong();
      long bytes = in.readVarLong();
      call.handle(reply -> credited(id, bytes));
    }
  }

  private void arrived(long id, GrpcContract.Piece piece) {
    lastOneway = loop.now();
    if (takes(piece.bytes().readableBytes())) {
      pass(id, piece);
    }
  }

  /** Counts bytes of the peer. */
  private boolean takes(long bytes) {
    unused += bytes;
    boolean keeps = unused <= GrpcContract.SESSION_WINDOW + Pipe.MOST_BEYOND;
    if (!keeps) {
      broken.accept("the peer does not keep to its window");
    }
    return keeps;
  }

  private void pass(long id, GrpcContract.Piece piece) {
    Pipe pipe = pipes.get(id);
    if (pipe == null) {
      drop(piece.bytes().readableBytes());
      piece.bytes().close();
    } else {
      pipe.arrived(piece);
    }
  }

  /** Takes long pieces, which come beside messages. */
  private final class LongPieces extends CarriedPieces {
    @Override
    protected @Nullable ByteBuffer memory(long length) {
      if (length > Received.MOST_BYTES || !takes(length)) {
        return null;
      }
      try {
        return Received.block((int) length);
      } catch (OutOfMemoryError e) {
        unused -= length;
        NO_MEMORY.warn("A part of a message by {} was refused: {}", session, e.getMessage());
        return null;
      }
    }

    @Override
    protected void arrived(long id, int sequence, boolean last, ByteBuffer memory, int length) {
      pass(id, new GrpcContract.Piece(sequence, last, null, Received.in(memory, length)));
    }

    @Override
    protected void lost(ByteBuffer memory, int length) {
      unused -= length;
      Received.free(memory);
    }

    @Override
    protected void refused(String why) {
      // A stream without one of its pieces, or its credit, would wait for ever.
      broken.accept("the peer could not take a part of a stream: " + why);
    }
  }

  private void credited(long id, long bytes) {
    if (bytes < 0 || bytes > GrpcContract.SESSION_WINDOW + (long) Pipe.MOST_BEYOND) {
      broken.accept("the peer gives more bytes back than there are");
      return;
    }
    window = Math.min(window + bytes, GrpcContract.SESSION_WINDOW);
    Pipe pipe = pipes.get(id);
    if (pipe != null) {
      pipe.credited(bytes);
    }
    goOn();
  }

  /** Tells the peer that its stream has begun. */
  void begun(long id) {
    tell(id, 0);
  }

  /** Returns the streams that have not ended. */
  List<Pipe.Owner> streams() {
    return pipes.values().stream().map(Pipe::owner).toList();
  }

  boolean has(long id) {
    return pipes.containsKey(id);
  }

  /** Tells the peer that bytes of a stream have been used. */
  void giveBack(long id, long bytes) {
    unused -= bytes;
    withheld -= bytes;
    tell(id, bytes);
  }

  private void tell(long id, long bytes) {
    boolean told = true;
    try {
      told =
          send(
              GrpcContract.CREDIT,
              out -> {
                out.writeVarLong(id);
                out.writeVarLong(bytes);
              });
    } catch (RpcException e) {
      broken.accept("credit cannot be sent: " + e.getMessage()); // streams would wait for ever
    }
    if (!told) {
      after(RETRY_NANOS, () -> tell(id, bytes));
    }
  }
}
