package io.verbena.core.session;

import io.verbena.core.call.PendingCall;
import io.verbena.core.codec.Compatibility;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A service of the peer's, and what waits until it is known how the contracts fit. */
final class RemoteService {
  final long hash;
  final List<PendingCall<?>> calls = new ArrayList<>();
  final List<CompletableFuture<List<String>>> checks = new ArrayList<>();
  boolean asked;

  /** Null until it is known. */
  private @Nullable Compatibility found;

  RemoteService(long hash) {
    this.hash = hash;
  }

  @Nullable Compatibility found() {
    return found;
  }

  /** It is known now. */
  void found(Compatibility compatibility) {
    found = compatibility;
    checks.forEach(check -> check.complete(compatibility.problems()));
    checks.clear();
  }

  /** Ends what waits for a peer that is gone; calls go to the next. */
  List<PendingCall<?>> lost() {
    checks.forEach(check -> check.cancel(false));
    checks.clear();
    return calls;
  }
}
