package io.verbena.bench.verbena;

import io.verbena.api.Session;
import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;

/** Opens a session for each call. Another session stays open, to report the path. */
final class ConnectCaller implements Caller {
  private final VerbenaContestant contestant;
  private final Session own;

  ConnectCaller(VerbenaContestant contestant, Session own) {
    this.contestant = contestant;
    this.own = own;
  }

  /** Starts a call and also waits for it, because opening a session waits. */
  @Override
  public void start(Call call) {
    exchange(call);
  }

  private void exchange(Call call, Session session) {
    call.answered(BenchTargetRpc.client(session).echo(call.message()));
  }

  @Override
  public void exchange(Call call) {
    try (Session session = contestant.open()) {
      exchange(call, session);
    } catch (AbsentException | RuntimeException e) {
      call.failed(e);
    }
  }

  @Override
  public String path() {
    return own.path().toString();
  }

  @Override
  public void close() {
    own.close();
  }
}
