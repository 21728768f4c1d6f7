package io.verbena.junit;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;

/**
 * Tracks the client's calls and streams that have not ended, and the server's handlers that run.
 * Safe for use by any thread.
 */
final class CallsUnderWay implements ClientInterceptor, ServerInterceptor {
  private final Map<Object, String> calls = new ConcurrentHashMap<>();
  private final Map<Object, String> handlers = new ConcurrentHashMap<>();
  private final OpenStreams streams = new OpenStreams();

  /** Returns a line for each open stream among the client's results. */
  List<String> streams() {
    return streams.told();
  }

  /** Returns the methods of calls that have not ended. */
  List<String> calls() {
    return calls.values().stream().sorted().toList();
  }

  /** Returns the methods of handlers that run. */
  List<String> handlers() {
    return handlers.values().stream().sorted().toList();
  }

  @Override
  public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
    Object key = new Object();
    calls.put(key, call.method().fullName());
    return call.proceed()
        .whenComplete((answer, failure) -> calls.remove(key))
        .thenApply(answer -> watched(call.method().fullName(), answer));
  }

  @SuppressWarnings("unchecked") // any publisher of its items may stand for a stream
  private <R> Answer<R> watched(String method, Answer<R> answer) {
    return answer.value() instanceof Flow.Publisher<?> stream
        ? new Answer<>((R) streams.watched(method, stream), answer.metadata())
        : answer;
  }

  @Override
  public void intercept(CallContext call, Next next) throws Exception {
    Object key = new Object();
    handlers.put(key, call.method().fullName());
    try {
      next.run();
    } finally {
      handlers.remove(key);
    }
  }
}
