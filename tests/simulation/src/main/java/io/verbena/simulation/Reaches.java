package io.verbena.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.api.CallContext;
import io.verbena.api.Session;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.simulation.check.RegionBook;
import io.verbena.simulation.check.RegionBook.Board;
import io.verbena.simulation.check.RegionBook.Op;
import io.verbena.simulation.check.RegionBook.Region;
import io.verbena.simulation.contract.Stock;
import io.verbena.simulation.contract.StockRpc;
import io.verbena.simulation.plan.Step.Expose;
import io.verbena.simulation.plan.Step.Reach;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Exposes and accesses memory, and records that in the book of regions. */
final class Reaches {
  /** A forged ref claims this number of further bytes. */
  private static final int BEYOND = 64;

  private final RunContext run;
  private final Map<Long, Expose> planned = new HashMap<>();
  private final Map<Long, Region> exposed = new HashMap<>();

  /** The holders of refs, by the numbers of regions. */
  private final Map<Long, Holder> holders = new HashMap<>();

  /** The memory that a process exposes to all peers. */
  private final Map<SimHost, Board> shared = new HashMap<>();

  private record Holder(Session session, SimHost host, RegionRef ref) {}

  Reaches(RunContext run) {
    this.run = run;
  }

  // ---- owners ----

  void expose(SimSession session, Expose step) {
    planned.put(step.op(), step);
    StockRpc.Async stock = StockRpc.async(session.session());
    if (step.back()) {
      RegionRef ref = expose(step, session.session(), session.client());
      if (ref != null) {
        CompletableFuture<Void> _ = stock.lend(step.op(), ref).toCompletableFuture();
      }
      return;
    }
    CompletableFuture<Void> _ =
        stock
            .expose(step.op())
            .toCompletableFuture()
            .thenAccept(
                ref ->
                    holders.put(step.op(), new Holder(session.session(), session.client(), ref)));
  }

  /** Returns the handler of a server. */
  Stock stock(Supplier<SimHost> host) {
    return new Stock() {
      @Override
      public RegionRef expose(long op) {
        Expose step = planned.get(op);
        Session session = CallContext.current().session();
        RegionRef ref = step == null ? null : Reaches.this.expose(step, session, host.get());
        if (ref == null) {
          throw new IllegalStateException("nothing is exposed");
        }
        return ref;
      }

      @Override
      public void lend(long op, RegionRef ref) {
        holders.put(op, new Holder(CallContext.current().session(), host.get(), ref));
      }
    };
  }

  private @Nullable RegionRef expose(Expose step, Session session, SimHost owner) {
    Board board = step.shared() ? shared.computeIfAbsent(owner, first -> newBoard()) : newBoard();
    ExposedRegion made;
    try {
      made =
          session.regions().expose(board.memory(), step.access(), Duration.ofNanos(step.lease()));
    } catch (IllegalStateException e) {
      return null; // its session has ended
    }
    String name = "region op %d of %s".formatted(step.op(), owner);
    Region region = run.regions.exposed(board, made, owner, name, run.agenda.now() + step.lease());
    exposed.put(step.op(), region);
    run.trace.say(() -> name + " is exposed");
    CompletableFuture<Void> _ =
        made.ended()
            .whenComplete(
                (end, lost) -> {
                  run.trace.say(() -> name + " has ended" + (lost == null ? "" : ": " + lost));
                  if (run.regions.ended(region, step.shared(), lost != null)) {
                    run.memory.isBack(board.memory(), step.op(), name);
                  }
                });
    after(
        step.renewAfter(),
        owner,
        () -> {
          if (made.isOpen()) {
            made.renew(Duration.ofNanos(step.lease()));
            run.regions.renewed(region, run.agenda.now() + step.lease());
          }
        });
    after(
        step.closeAfter(),
        owner,
        () -> {
          run.trace.say(() -> name + " is closed");
          made.close();
          run.regions.closed(region);
        });
    return made.ref();
  }

  private Board newBoard() {
    return run.regions.board(run.memory.allocate(RegionBook.BOARD_BYTES));
  }

  private void after(long nanos, SimHost host, Runnable then) {
    run.later(
        nanos,
        () -> {
          if (!host.hasEnded()) {
            then.run();
          }
        });
  }

  // ---- peers ----

  void reach(SimSession session, Reach step) {
    Holder holder = holders.get(step.region());
    Region region = exposed.get(step.region());
    if (holder == null
        || region == null
        || holder.host.hasEnded()
        || !run.regions.mayBegin(step, region)
        || !isAllowed(step, holder.ref.access())) {
      return;
    }
    long timeout = step.timeout() > 0 ? step.timeout() : run.timeout;
    Regions regions = holder.session.regions();
    if (step.timeout() > 0) {
      regions = regions.withTimeout(Duration.ofNanos(timeout));
    }
    Op op = run.regions.began(step, session.name(), holder.host, region, timeout);
    RegionRef ref = holder.ref;
    long at = op.offset();
    switch (step.kind()) {
      case ADD -> follow(op, regions.getAndAdd(ref, at, op.value()), seen -> seen);
      case EXCHANGE ->
          follow(op, regions.compareAndExchange(ref, at, op.expected(), op.value()), seen -> seen);
      case SET ->
          follow(
              op,
              regions.compareAndSet(ref, at, op.expected(), op.value()),
              was -> was ? op.expected() : null);
      case PUT -> follow(op, regions.put(ref, at, word(op.value())), none -> null);
      case GET_ADDED, GET_EXCHANGED, GET_PUT -> {
        MemorySegment into = word(-1);
        follow(op, regions.get(ref, at, into), none -> into.get(JAVA_LONG_UNALIGNED, 0));
      }
      case PUT_PAIR -> {
        RegionPiece flag = new RegionPiece(at, word(op.value()));
        RegionPiece data =
            new RegionPiece(at + Long.BYTES, words(op.value(), RegionBook.PAIR_BYTES));
        follow(op, regions.put(ref, List.of(data, flag)), none -> null);
      }
      case GET_PAIR -> {
        MemorySegment flag = word(-1);
        MemorySegment data = words(-1, RegionBook.PAIR_BYTES);
        List<RegionPiece> pair =
            List.of(new RegionPiece(at, flag), new RegionPiece(at + Long.BYTES, data));
        follow(
            op,
            regions.get(ref, pair),
            none -> {
              run.regions.pairRead(op, flag.get(JAVA_LONG_UNALIGNED, 0), data);
              return null;
            });
      }
      case GET_LONG -> {
        int bytes = RegionBook.BOARD_BYTES - RegionBook.CONSTANT;
        MemorySegment into = MemorySegment.ofArray(new byte[bytes / (1 + 7 * step.place())]);
        follow(
            op,
            regions.get(ref, at, into),
            none -> {
              run.regions.constantRead(op, into);
              return null;
            });
      }
      case GET_BEYOND -> {
        RegionRef longer = new RegionRef(ref.id(), ref.key(), ref.length() + BEYOND, ref.access());
        MemorySegment into = MemorySegment.ofArray(new byte[BEYOND]);
        follow(op, regions.get(longer, ref.length() - step.place(), into), none -> null);
      }
      case WITHOUT_RIGHT -> {
        RegionRef wider = new RegionRef(ref.id(), ref.key(), ref.length(), ref.access() | 7);
        follow(op, regions.put(wider, at, word(-1)), none -> null);
      }
      case WITH_WRONG_KEY -> {
        RegionRef wrong = new RegionRef(ref.id(), ref.key() + 1, ref.length(), ref.access());
        follow(op, regions.get(wrong, at, word(0)), none -> null);
      }
    }
  }

  private static boolean isAllowed(Reach step, int access) {
    return switch (step.kind()) {
      case ADD, EXCHANGE, SET -> (access & Regions.ATOMIC) != 0;
      case PUT, PUT_PAIR -> (access & Regions.WRITE) != 0;
      case WITHOUT_RIGHT -> (access & Regions.WRITE) == 0;
      default -> true;
    };
  }

  private static MemorySegment word(long value) {
    return words(value, Long.BYTES);
  }

  private static MemorySegment words(long value, int bytes) {
    long[] words = new long[bytes / Long.BYTES];
    Arrays.fill(words, value);
    return MemorySegment.ofArray(words);
  }

  private <T> void follow(Op op, CompletableFuture<T> future, Function<T, @Nullable Long> seen) {
    CompletableFuture<T> _ =
        future.whenComplete(
            (result, failure) -> {
              run.trace.say(
                  () -> "%s: %s".formatted(op, failure == null ? "done" : failure.getMessage()));
              @Nullable Long saw = failure == null ? seen.apply(result) : null;
              run.regions.ended(op, saw, failure);
            });
    run.later(
        op.cancelAfter(),
        () -> {
          if (!future.isDone()) {
            run.regions.cancels(op);
            future.cancel(true);
          }
        });
  }
}
