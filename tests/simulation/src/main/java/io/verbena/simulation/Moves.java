package io.verbena.simulation;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.LandingKind;
import io.verbena.simulation.plan.Step.Move;
import io.verbena.simulation.plan.Step.MoveKind;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes transfers, and checks that objects arrive whole and unaltered, or not at all.
 *
 * <p>The class is long, because it is a list of independent moves.
 */
final class Moves {
  /** The lease of a published object. */
  static final Duration LEASE = Duration.ofSeconds(20);

  private final RunContext run;
  private final Cuts cuts;
  private final Map<Long, Arriving> arriving = new HashMap<>();
  private final Map<Long, Move> asked = new HashMap<>();
  private final List<Arriving> intoFiles = new ArrayList<>();

  /** The end that begins a transfer. */
  private record End(Session session, SimHost host, String name) {
    static End of(SimSession session) {
      return new End(session.session(), session.client(), session.name());
    }
  }

  /** An object in transfer to a landing. */
  private final class Arriving {
    final Move move;
    final String session;
    final Landing landing;
    final @Nullable MemorySegment into;
    @Nullable Transfer transfer;
    long next;
    boolean altered;
    boolean failed;
    boolean taken;

    /** The sender knows that all bytes have arrived. The receiver waits until they are fenced. */
    boolean told;

    Arriving(Move move, String session) {
      this.move = move;
      this.session = session;
      MemorySegment memory =
          move.landing() == LandingKind.MEMORY ? run.memory.allocate(move.length()) : null;
      this.into = memory;
      this.landing =
          switch (move.landing()) {
            case MEMORY -> Landing.of(Objects.requireNonNull(memory));
            case POOLED -> Landing.pooled(move.length());
            case FILE -> Landing.file(run.folder.of(move.op()));
            case CHUNKS -> Landing.chunks(this::chunk);
          };
    }

    private void chunk(MemorySegment chunk, long offset) {
      altered |= Content.difference(chunk, move.op(), offset) >= 0;
      altered |= offset != next;
      next = offset + chunk.byteSize();
    }

    /** Returns whether the object has reached a stage. */
    boolean isAt(Stage stage) {
      Transfer coming = transfer;
      if (coming == null) {
        return false;
      }
      if (stage == Stage.OFFERED) {
        return coming.progress().total() >= 0;
      }
      if (stage == Stage.TAKEN) {
        return coming.result().toCompletableFuture().isDone();
      }
      if (into != null) {
        return Memory.hasLanded(into, stage, move.length());
      }
      long landed = move.landing() == LandingKind.CHUNKS ? next : coming.progress().bytes();
      return landed >= Memory.landed(stage, move.length());
    }

    /** Records that the owner has its memory back, if the landing is memory. */
    void isBack() {
      if (into != null) {
        run.memory.isBack(into, move.op(), session);
      }
    }

    void notThere(String why) {
      broken("objects reported as arrived have arrived", why);
    }

    void broken(String rule, String what) {
      run.journal.broken(rule, session, move.op(), what);
    }
  }

  Moves(RunContext run, Cuts cuts) {
    this.run = run;
    this.cuts = cuts;
  }

  private Arriving arriving(Move move, String session) {
    Arriving to = new Arriving(move, session);
    if (move.landing() == LandingKind.FILE) {
      intoFiles.add(to);
    }
    return to;
  }

  private static TransferOptions options(Move move) {
    TransferOptions options = TransferOptions.DEFAULT;
    if (move.timeout() > 0) {
      options = options.withTimeout(Duration.ofNanos(move.timeout()));
    }
    return move.checksum() ? options.withChecksum() : options;
  }

  void start(SimSession session, Move move) {
    switch (move.kind()) {
      case PUSH -> push(End.of(session), move);
      case FETCH -> fetch(session, move);
      case PUSH_BACK, FETCH_BACK -> haveServerBegin(session, move);
    }
  }

  /** Pushes from a server to its client. Called in a handler. */
  void pushBack(long op, Session session, SimHost server) {
    Move move = asked.get(op);
    if (move != null) {
      push(endOf(op, session, server), move);
    }
  }

  /** Fetches from a client to its server. Called in a handler. */
  void fetchBack(long op, ObjectRef ref, Session session, SimHost server) {
    Move move = asked.get(op);
    if (move != null) {
      run.journal.begun(op, server);
      fetch(endOf(op, session, server), move, ref);
    }
  }

  private End endOf(long op, Session session, SimHost server) {
    Entry call = run.journal.call(op);
    return new End(session, server, call == null ? "" : call.session());
  }

  private void haveServerBegin(SimSession session, Move move) {
    asked.put(move.op(), move);
    CompletionStage<Void> called;
    Entry entry = calls(session, move);
    if (move.kind() == MoveKind.PUSH_BACK) {
      called = session.works().send(move.op());
    } else {
      Source source = Source.of(Content.bytes(move.op(), move.length()));
      Published published = session.session().objects().publish(source, LEASE);
      called = session.works().take(move.op(), published.ref());
    }
    CompletableFuture<Void> _ =
        called
            .toCompletableFuture()
            .whenComplete((nothing, failure) -> run.journal.ended(entry, true, failure, false));
  }

  /** Records the client's call that makes the server begin a transfer. */
  private Entry calls(SimSession session, Move move) {
    return run.journal.called(
        move.op(), session.name(), session.client(), CallKind.COUNT, run.timeout, false);
  }

  private void push(End by, Move move) {
    MemorySegment from = run.memory.allocate(move.length());
    Content.fill(from, move.op(), 0);
    Arriving to = arriving(move, by.name);
    arriving.put(move.op(), to);
    run.journal.begun(move.op(), by.host);
    follow(
        by,
        to,
        by.session.objects().push("" + move.op(), Source.of(from), options(move)),
        received -> {
          if (received != null) {
            lookWhetherThere(to);
          }
          run.memory.isBack(from, move.op(), by.name);
        });
  }

  /** Fetches an object, which the server publishes first. */
  private void fetch(SimSession session, Move move) {
    Entry entry = calls(session, move);
    run.journal.begun(move.op(), session.client());
    CompletableFuture<Void> _ =
        session
            .works()
            .publish(move.op(), move.length())
            .toCompletableFuture()
            .handle(
                (ref, failure) -> {
                  run.journal.ended(entry, true, failure, false);
                  if (ref == null) {
                    run.journal.over(move.op());
                  } else {
                    fetch(End.of(session), move, ref);
                  }
                  return null;
                });
  }

  private void fetch(End by, Move move, ObjectRef ref) {
    Arriving to = arriving(move, by.name);
    Transfer transfer = by.session.objects().fetch(ref, to.landing, options(move));
    to.transfer = transfer;
    follow(
        by,
        to,
        transfer,
        received -> {
          if (received != null) {
            arrived(to, received);
          }
          lookAtFile(to);
          to.isBack();
        });
  }

  /**
   * Cancels or cuts a transfer as its plan says.
   *
   * @param then receives the result at the end; null if the transfer failed
   */
  private void follow(End by, Arriving to, Transfer transfer, Consumer<@Nullable Received> then) {
    Move move = to.move;
    long began = run.agenda.now();
    run.later(move.cancelAfter(), transfer::cancel);
    CompletableFuture<Received> result = transfer.result().toCompletableFuture();
    cuts.watch(
        move.cut(),
        by.host,
        move.timeout(),
        move.kind() + " op " + move.op(),
        result,
        to::isAt,
        there -> {
          Transfer coming = to.transfer;
          boolean _ = (there && coming != null ? coming : transfer).cancel();
        });
    CompletableFuture<Received> _ =
        result.whenComplete(
            (received, failure) -> {
              over(to, failure, began);
              then.accept(failure == null ? received : null);
            });
  }

  /** Checks an object that the sender knows as arrived. It must be in memory by then. */
  private void lookWhetherThere(Arriving to) {
    Move move = to.move;
    Transfer coming = to.transfer;
    if (coming == null) {
      to.notThere("the other end was never offered it");
      return;
    }
    boolean mayTakeItLater =
        !move.checksum()
            && (move.landing() == LandingKind.MEMORY || move.landing() == LandingKind.POOLED);
    boolean differs = to.into != null && Content.difference(to.into, move.op(), 0) >= 0;
    switch (coming.result().toCompletableFuture().state()) {
      case SUCCESS -> {}
      case RUNNING -> {
        to.told = true;
        if (!mayTakeItLater || differs) {
          to.notThere("the other end has not taken it");
        }
      }
      default -> to.notThere("the other end failed to take it");
    }
  }

  private void over(Arriving to, @Nullable Throwable thrown, long began) {
    Move move = to.move;
    if (!run.journal.over(move.op())) {
      return; // the process was killed, and unwinds
    }
    Throwable failure = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    run.trace.say(
        () ->
            "%s: %s op %d: %s"
                .formatted(
                    to.session, move.kind(), move.op(), failure == null ? "whole" : failure));
    long took = run.agenda.now() - began;
    run.journal.result(move.op(), to.session, words(failure), took);
    Tally tally = run.journal.tally();
    if (failure == null) {
      tally.add("moved");
    } else if (failure instanceof TransferException transfer) {
      tally.add("move " + transfer.status());
      if (transfer.status() == RpcStatus.DEADLINE_EXCEEDED && took < move.timeout()) {
        to.broken(
            "deadlines do not end transfers early",
            "after %,.3f ms of %,.3f".formatted(took / 1e6, move.timeout() / 1e6));
      }
      boolean meant = move.mayBeCancelled() || move.timeout() > 0;
      boolean expected =
          switch (transfer.status()) {
            case CANCELLED -> move.mayBeCancelled();
            case DEADLINE_EXCEEDED -> move.timeout() > 0;
            case UNAVAILABLE -> !Journal.isOfProtocol(transfer);
            case RESOURCE_EXHAUSTED, INVALID_ARGUMENT -> true;
            default -> false;
          };
      if (!expected || (run.calm && !meant && !isOfMemory(transfer))) {
        to.broken("transfers fail for a reason", String.valueOf(failure.getMessage()));
      }
    } else if (!(failure instanceof CancellationException) || !move.mayBeCancelled()) {
      to.broken("failures are of the declared types", String.valueOf(failure));
    }
  }

  private static String words(@Nullable Throwable failure) {
    if (failure == null) {
      return "moved";
    }
    return failure instanceof TransferException transfer
        ? "move " + transfer.status()
        : failure.getClass().getSimpleName();
  }

  private static boolean isOfMemory(TransferException failure) {
    return failure.status() == RpcStatus.RESOURCE_EXHAUSTED
        || failure.status() == RpcStatus.UNAVAILABLE;
  }

  private void arrived(Arriving to, Received received) {
    Move move = to.move;
    boolean whole = received.length() == move.length();
    if (to.move.landing() == LandingKind.CHUNKS) {
      whole &= !to.altered && to.next == move.length();
    } else if (to.move.landing() == LandingKind.FILE) {
      whole &= Folder.isWhole(run.folder.of(move.op()), move.op(), move.length());
    } else {
      MemorySegment bytes = to.into != null ? to.into : received.memory();
      whole &= bytes.byteSize() == move.length() && Content.difference(bytes, move.op(), 0) < 0;
    }
    received.close();
    if (!whole) {
      to.broken(
          "objects arrive whole and unaltered, or not at all",
          move.kind() + " of " + move.length() + " bytes into " + move.landing());
    }
  }

  /** Checks all files again at the end of a run. */
  void lookAtFiles() {
    intoFiles.forEach(this::lookAtFile);
  }

  /** Checks a file. It must be whole if the receiver reports that, and absent otherwise. */
  private void lookAtFile(Arriving to) {
    Move move = to.move;
    if (move.landing() != LandingKind.FILE) {
      return;
    }
    Path file = run.folder.of(move.op());
    Transfer coming = to.transfer;
    @Nullable CompletableFuture<Received> ended =
        coming == null ? null : coming.result().toCompletableFuture();
    if (ended != null && ended.state() == Future.State.SUCCESS) {
      if (!Folder.isWhole(file, move.op(), move.length())) {
        to.broken(
            "objects arrive whole and unaltered, or not at all",
            "it is reported as arrived, but is not in its file");
      }
      return;
    }
    List<String> left = Folder.left(file, ended == null || mayGoOn(ended));
    if (!left.isEmpty()) {
      to.broken("failed transfers leave no file", "there is " + left);
    }
  }

  /** Returns whether received bytes may be kept, for another transfer or for now. */
  private static boolean mayGoOn(CompletableFuture<Received> ended) {
    return ended.state() != Future.State.FAILED
        || (ended.exceptionNow() instanceof TransferException failure
            && (failure.status() == RpcStatus.UNAVAILABLE
                || failure.status() == RpcStatus.DEADLINE_EXCEEDED));
  }

  // ---- the receiving end of pushes ----

  /** Takes pushes in one process. */
  record Taker(Moves moves, SimHost host) implements PushHandler {
    @Override
    public @Nullable Landing offered(Offer offer) {
      Arriving to = moves.arriving.get(Long.parseLong(offer.name()));
      if (to == null) {
        return null;
      }
      to.transfer = offer.transfer();
      CompletableFuture<Received> _ =
          offer
              .transfer()
              .result()
              .toCompletableFuture()
              .whenComplete(
                  (received, failure) -> {
                    to.failed = failure != null;
                    moves.lookAtFile(to);
                    if (failure != null) {
                      if (to.told && !moves.run.journal.isGone(host)) {
                        to.notThere("the other end fails to take it: " + failure.getMessage());
                      }
                      to.isBack();
                    }
                  });
      return to.landing;
    }

    @Override
    public void received(Offer offer, Received received) {
      Arriving to = moves.arriving.get(Long.parseLong(offer.name()));
      if (to != null) {
        if (to.failed || to.taken) {
          to.broken(
              "every transfer ends once",
              "it is handed over, and " + (to.failed ? "had failed" : "was before"));
        }
        to.taken = true;
        moves.arrived(to, received);
        to.isBack();
      }
    }
  }
}
