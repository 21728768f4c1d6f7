package io.verbena.simulation.check;

import io.verbena.api.Execution;
import io.verbena.api.Peer;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.simulation.contract.Refused;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.world.SimHost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Records calls, executions and answers, and checks the rules. */
public final class Journal {
  /** The tick of a timer, and the cycle of the loop that runs it. */
  static final long LATE_NANOS = 8_000_000;

  /** A request carries the rest of its deadline in whole microseconds, rounded down. */
  private static final long TOLD_NANOS = 1_000;

  private final LongSupplier clock;
  private final boolean calm;
  private final Map<Long, Entry> calls = new LinkedHashMap<>();
  private final Map<Long, SimHost> transfers = new LinkedHashMap<>();
  private final List<Violation> violations = new ArrayList<>();
  private final Tally tally = new Tally();
  private final Map<Long, Result> results = new LinkedHashMap<>();
  private String exempt = "";
  private String exemptAddress = "";
  private final Set<SimHost> ending = new HashSet<>();
  private final Set<SimHost> gone = new HashSet<>();
  private int open;

  /**
   * The result of a call or transfer.
   *
   * @param what the status as text
   * @param nanos the duration
   */
  public record Result(String session, String what, long nanos) {}

  /**
   * Makes an empty journal.
   *
   * @param calm whether the run has no faults, so that calls succeed
   */
  public Journal(LongSupplier clock, boolean calm) {
    this.clock = clock;
    this.calm = calm;
  }

  public List<Violation> violations() {
    return violations;
  }

  /** Returns the counts of the ends of calls. */
  public Tally tally() {
    return tally;
  }

  /** Returns the number of calls and transfers that have not ended. */
  public int open() {
    return open + transfers.size();
  }

  /** Describes the calls and transfers that have not ended. */
  public List<String> openOnes() {
    List<String> names = new ArrayList<>();
    for (Entry call : calls.values()) {
      if (call.ended < 0) {
        names.add(call.kind + " op " + call.op + " of " + call.session);
      }
    }
    transfers.keySet().forEach(op -> names.add("transfer op " + op));
    return names;
  }

  /**
   * Exempts a client from the checks.
   *
   * @param client the misbehaving client, which has its own sessions
   * @param address the address of its host
   */
  public void exempt(String client, String address) {
    exempt = " " + client + "(";
    exemptAddress = "//" + address + ":";
  }

  /** Returns whether a peer is exempt from the checks. */
  public boolean isExempt(Peer peer) {
    return !exempt.isEmpty() && peer.address().contains(exemptAddress);
  }

  /** Returns the results of all checked calls and transfers, by their numbers. */
  public Map<Long, Result> results() {
    return results;
  }

  boolean isExempt(String session) {
    return !exempt.isEmpty() && session.contains(exempt);
  }

  /** Records the result of a call or transfer. */
  public void result(long op, String session, String what, long nanos) {
    if (!isExempt(session)) {
      results.put(op, new Result(session, what, nanos));
    }
  }

  public void broken(String rule, String session, long op, String what) {
    if (isExempt(session)) {
      return;
    }
    violations.add(new Violation(rule, clock.getAsLong(), session, op, what));
  }

  private void broken(Entry call, String rule, String what) {
    broken(rule, call.session, call.op, what);
  }

  /**
   * Records a new call. The call need not end if its caller's process is killed.
   *
   * @param timeout the deadline in nanoseconds from now
   * @param ordered whether calls of its session and kind are executed in the order of making
   */
  public Entry called(
      long op, String session, SimHost caller, CallKind kind, long timeout, boolean ordered) {
    Entry entry = new Entry(op, session, caller, kind, clock.getAsLong(), timeout, ordered);
    calls.put(op, entry);
    open++;
    return entry;
  }

  /** Records that a process ends in order, with its own calls. */
  public void processEnds(SimHost process) {
    ending.add(process);
  }

  /** Returns the time since a call was made. */
  long since(Entry call) {
    return clock.getAsLong() - call.issued;
  }

  /** Records that a process was killed. Its own calls need not end. */
  public void processIsGone(SimHost process) {
    gone.add(process);
    for (Entry call : calls.values()) {
      if (call.ended < 0 && call.caller == process) {
        call.ended = clock.getAsLong();
        call.gone = true;
        open--;
      }
    }
    transfers.values().removeIf(of -> of == process);
  }

  /** Returns whether a process was killed. Outcomes in it are not checked: its threads unwind. */
  public boolean isGone(SimHost process) {
    return gone.contains(process);
  }

  /** Records a new transfer of a process. It need not end if the process is killed. */
  public void begun(long op, SimHost process) {
    transfers.put(op, process);
  }

  /** Records the end of a transfer. Returns false if its process was killed, or ends. */
  public boolean over(long op) {
    SimHost process = transfers.remove(op);
    return process != null && !ending.contains(process);
  }

  /** Records that a caller cancels a call. */
  public void cancels(Entry call) {
    call.cancelled = true;
  }

  /**
   * Records that a handler executes a call.
   *
   * @param server the server's session
   * @param ticket the place in the order of dispatch
   */
  public void executed(long op, String incarnation, Session server, long ticket) {
    Entry call = calls.get(op);
    if (call == null) {
      broken("only calls that were made are executed", incarnation, op, "no client made this call");
      return;
    }
    call.executions++;
    call.ticket = ticket;
    call.server = server;
    if (call.executions > 1) {
      broken(call, "no call is executed twice", call.kind + " ran again");
    }
    Throwable failure = call.failure;
    if (failure != null) {
      neverExecuted(call, failure);
    }
  }

  private void neverExecuted(Entry call, Throwable failure) {
    if (failure instanceof RpcException rpc && rpc.execution() == Execution.NOT_EXECUTED) {
      broken(
          call,
          "calls reported as not executed never run",
          "it ran, but its caller got: " + failure.getMessage());
    }
  }

  /** Records that a one-way call was sent, which is the end of it for its caller. */
  public void sent(Entry call) {
    if (call.ended >= 0) {
      return; // the process was killed
    }
    call.ended = clock.getAsLong();
    open--;
    tally.add("sent");
  }

  /**
   * Records the end of a call.
   *
   * @param right whether the answer is right, if there is one
   * @param bounded whether the deadline ends the call at once
   */
  public void ended(Entry call, boolean right, @Nullable Throwable thrown, boolean bounded) {
    Throwable failure = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    long now = clock.getAsLong();
    if (call.ended >= 0) {
      if (!call.gone) { // else the process was killed, and unwinds
        broken(call, "every call ends once", "it ended again: " + failure);
      }
      return;
    }
    call.ended = now;
    call.failure = failure;
    open--;
    long took = now - call.issued;
    long late = took - call.timeout - call.still();
    if (bounded && late > LATE_NANOS) {
      broken(
          call,
          "deadlines end calls in time",
          "%s took %,.3f ms, with a deadline of %,.3f: %s"
              .formatted(call.kind, took / 1e6, call.timeout / 1e6, failure));
    }
    result(call.op, call.session, words(failure), took);
    if (failure == null) {
      tally.add("answered");
      answered(call, right);
    } else {
      failed(call, failure, took);
    }
  }

  private static String words(@Nullable Throwable failure) {
    if (failure == null) {
      return "answered";
    }
    return failure instanceof RpcException rpc
        ? rpc.status() + "/" + rpc.execution()
        : failure.getClass().getSimpleName();
  }

  private void answered(Entry call, boolean right) {
    if (!right) {
      broken(call, "answers are right", call.kind + " had a wrong answer");
    }
    if (call.executions != 1) {
      broken(
          call,
          "answered calls were executed once",
          call.kind + " was executed " + call.executions + " times");
    }
  }

  private void failed(Entry call, Throwable failure, long took) {
    if (failure instanceof CancellationException) {
      tally.add("cancelled");
      if (!call.cancelled) {
        broken(call, "nothing cancels itself", String.valueOf(failure));
      }
      return;
    }
    if (failure instanceof Refused) {
      tally.add("declared");
      if (call.kind != CallKind.FAIL_DECLARED || call.executions != 1) {
        broken(call, "answers are right", String.valueOf(failure));
      }
      return;
    }
    if (!(failure instanceof RpcException rpc)) {
      broken(call, "failures are of the declared types", failure.toString());
      return;
    }
    tally.add(rpc.status() + "/" + rpc.execution());
    if (call.executions > 0) {
      neverExecuted(call, failure);
    }
    if (rpc.execution() == Execution.EXECUTED && call.executions == 0) {
      broken(call, "calls reported as executed were executed", String.valueOf(rpc.getMessage()));
    }
    if (rpc.status() == RpcStatus.DEADLINE_EXCEEDED && took < call.timeout - TOLD_NANOS) {
      broken(
          call,
          "deadlines do not end calls early",
          "%s after %,.3f ms of %,.3f: %s"
              .formatted(call.kind, took / 1e6, call.timeout / 1e6, rpc.getMessage()));
    }
    if (!isExpected(call, rpc)) {
      broken(call, "calls fail for a reason", call.kind + ": " + rpc.getMessage());
    }
  }

  private boolean isExpected(Entry call, RpcException failure) {
    return switch (failure.status()) {
      case DEADLINE_EXCEEDED -> true;
      case INTERNAL -> call.kind == CallKind.FAIL || isOfCallback(call, failure);
      case UNAVAILABLE -> (!calm && !isOfProtocol(failure)) || isOfPool(failure);
      case RESOURCE_EXHAUSTED -> !calm || isOfPool(failure);
      case CANCELLED -> call.cancelled || ending.contains(call.caller);
      default -> false;
    };
  }

  private static boolean isOfCallback(Entry call, RpcException failure) {
    String message = String.valueOf(failure.getMessage());
    return call.kind == CallKind.TOUR && message.contains("another call or transfer");
  }

  private static boolean isOfPool(RpcException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("executor")
        || message.contains("no handler")
        || failure.status() == RpcStatus.RESOURCE_EXHAUSTED;
  }

  /** Returns whether one end reports a protocol error of the other, which never happens. */
  public static boolean isOfProtocol(Exception failure) {
    return String.valueOf(failure.getMessage()).contains("protocol error");
  }

  /** Records that a handler was interrupted. Without faults, only the deadline interrupts. */
  public void interrupted(long op) {
    Entry call = calls.get(op);
    if (call == null || !calm) {
      return;
    }
    long took = clock.getAsLong() - call.issued;
    if (!call.cancelled && took < call.timeout - TOLD_NANOS) {
      broken(
          call,
          "deadlines do not interrupt handlers early",
          "after %,.3f ms of %,.3f".formatted(took / 1e6, call.timeout / 1e6));
    }
  }

  /**
   * Calls among which there is an order. A client that has lost its session gets another one. A
   * server that stood still may then execute calls of the lost session after later ones.
   */
  private record Line(String client, CallKind kind, Session server) {}

  /** Checks the order of executions, which is known only at the end. */
  public void closeBooks() {
    Map<Line, Entry> last = new HashMap<>();
    for (Entry call : calls.values()) {
      Session server = call.server;
      if (!call.ordered || server == null) {
        continue;
      }
      Entry before = last.put(new Line(call.session, call.kind, server), call);
      if (before != null && before.ticket > call.ticket) {
        broken(
            call,
            "calls are dispatched in the order in which they were made",
            call.kind + " was dispatched before op " + before.op + ", which was made before it");
      }
    }
  }

  /** Returns the call with a number; null if there is none. */
  public @Nullable Entry call(long op) {
    return calls.get(op);
  }
}
