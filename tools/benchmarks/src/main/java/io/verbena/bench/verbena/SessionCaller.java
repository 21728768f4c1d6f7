package io.verbena.bench.verbena;

import io.verbena.api.Session;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Messages;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Makes calls on one session, with generated stubs. */
final class SessionCaller implements Caller {
  private final Session session;
  private final boolean onLoop;
  private final BenchTarget blocking;
  private final BenchTargetRpc.Async async;
  private final LongAdder sent = new LongAdder();
  private final long droppedBefore;

  SessionCaller(Session session, Handler handler) {
    this.session = session;
    this.onLoop = handler == Handler.NONBLOCKING;
    this.blocking = BenchTargetRpc.client(session);
    this.async = BenchTargetRpc.async(session);
    this.droppedBefore = blocking.dropped();
  }

  @Override
  public void start(Call call) {
    byte[] message = call.message();
    switch (call.load().kind()) {
      case CALL, MIXED, CONNECT ->
          end(call, onLoop ? async.echo(message) : async.echoOnThread(message));
      case PUSH -> endNumbered(call, onLoop ? async.push(message) : async.pushOnThread(message));
      case PULL -> {
        int size = call.load().size();
        end(
            call,
            onLoop ? async.pull(size, call.number()) : async.pullOnThread(size, call.number()));
      }
      case ONEWAY -> exchange(call);
      case PUT, FETCH -> throw new IllegalArgumentException("objects are not sent by calls");
    }
  }

  private static void end(Call call, CompletionStage<byte[]> answer) {
    answer.whenComplete(
        (bytes, failure) -> {
          if (failure == null) {
            call.answered(bytes);
          } else {
            call.failed(failure);
          }
        });
  }

  private static void endNumbered(Call call, CompletionStage<Long> answer) {
    answer.whenComplete(
        (@Nullable Long number, @Nullable Throwable failure) -> {
          if (number != null) {
            call.answered(number.longValue());
          } else if (failure != null) {
            call.failed(failure);
          }
        });
  }

  @Override
  public void exchange(Call call) {
    byte[] message = call.message();
    switch (call.load().kind()) {
      case CALL, MIXED, CONNECT ->
          call.answered(onLoop ? blocking.echo(message) : blocking.echoOnThread(message));
      case PUSH -> call.answered(onLoop ? blocking.push(message) : blocking.pushOnThread(message));
      case PULL -> {
        int size = call.load().size();
        call.answered(
            onLoop
                ? blocking.pull(size, call.number())
                : blocking.pullOnThread(size, call.number()));
      }
      case ONEWAY -> {
        blocking.drop(message);
        sent.increment();
        call.answered(Messages.number(message));
      }
      case PUT, FETCH -> throw new IllegalArgumentException("objects are not sent by calls");
    }
  }

  @Override
  public void settle() {
    long mine = sent.sum();
    // Messages are handled in the order of sending, so this later call counts all of them.
    long arrived = blocking.dropped() - droppedBefore;
    if (arrived < mine) {
      throw new IllegalStateException((mine - arrived) + " of " + mine + " one-way calls are lost");
    }
  }

  @Override
  public String path() {
    return session.path().toString();
  }

  @Override
  public void close() {
    session.close();
  }
}
