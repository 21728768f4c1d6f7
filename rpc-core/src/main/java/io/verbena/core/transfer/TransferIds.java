package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.FileTrouble;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The numbers and limits of one session's transfers. Transfers of this end get their numbers here,
 * and wait while too many are under way. Transfers of the peer are counted, and their numbers are
 * checked. Transfers of calls do not count, because the limit of calls bounds them. On the loop.
 *
 * <p>A number in the header of its transfer's frames:
 *
 * <pre>
 *   63                                   3   2     1   0
 *   | counted by the end that began it   | 0 SINGLE    | 1: client began it |
 *   | number of the call it belongs to   | its kind    | 1: client called   |
 * </pre>
 */
final class TransferIds {
  /** A fetch or push without a call. */
  static final int SINGLE = 0;

  /** An object for the landing of a call. */
  static final int ANSWER = 1;

  /** Large values of a call's request. */
  static final int REQUEST_VALUES = 2;

  /** Large values of a call's reply. */
  static final int REPLY_VALUES = 3;

  private static final int NUMBER = 3;
  private static final int KIND = 1;

  /** The most transfers that this end begins at once. Others wait for their turn. */
  private static final int MOST_OWN = 256;

  /** The most transfers that the peer may have under way. It begins fewer. */
  static final int MOST_OF_PEER = 1024;

  private final SessionImpl session;
  private final ArrayDeque<Start> waiting = new ArrayDeque<>();
  private long lastOwn;
  private long lastOfPeer;
  private int own;
  private int ofPeer;

  /** The transfers whose turn has come, and whose files are being opened. */
  private final Set<Start> opening = new LinkedHashSet<>();

  /** A transfer that has not begun. On the loop. */
  static final class Start {
    private final TransferHandle handle;

    /** The threads that open the files of its source; null if there are none. */
    private final @Nullable RunOn opener;

    private final Callable<@Nullable OpenSource> opens;
    private final Consumer<@Nullable OpenSource> begin;
    private final Runnable drop;
    private @Nullable OpenSource opened;

    /**
     * Makes a transfer that begins in its turn.
     *
     * @param drop frees its resources if it ends before
     */
    Start(TransferHandle handle, Runnable begin, Runnable drop) {
      this.handle = handle;
      this.opener = null;
      this.opens = () -> null;
      this.begin = none -> begin.run();
      this.drop = drop;
    }

    /**
     * Makes a transfer whose files are opened in its turn.
     *
     * @param opens the source, by these threads
     */
    Start(
        TransferHandle handle,
        RunOn opener,
        Callable<OpenSource> opens,
        Consumer<OpenSource> begin,
        Runnable drop) {
      this.handle = handle;
      this.opener = opener;
      this.opens = opens;
      this.begin = source -> begin.accept(Objects.requireNonNull(source));
      this.drop = drop;
    }

    private void fail(RpcStatus status, String why, @Nullable Throwable cause) {
      drop.run();
      handle.fail(new TransferException(status, handle.object, handle.whence(), 0, why, cause));
    }
  }

  TransferIds(SessionImpl session) {
    this.session = session;
  }

  // ---- parts of a number ----

  static long of(long number, int kind, boolean byClient) {
    return number << NUMBER | (long) kind << KIND | (byClient ? 1 : 0);
  }

  static long number(long id) {
    return id >>> NUMBER;
  }

  static boolean isOfACall(long id) {
    return (id >> KIND & 3) != SINGLE;
  }

  static boolean isAnswer(long id) {
    return (id >> KIND & 3) == ANSWER;
  }

  boolean isOwn(long id) {
    return (id & 1) != 0 == session.role().isClient();
  }

  boolean isBegunByPeer(long id) {
    return !isOwn(id) && !isOfACall(id);
  }

  // ---- begun by this end ----

  long nextId() {
    return of(++lastOwn, SINGLE, session.role().isClient());
  }

  /** Begins a transfer of this end, now or in its turn. */
  void start(Start start) {
    if (session.isEnded()) {
      start.fail(RpcStatus.UNAVAILABLE, "the session is closed", null);
      return;
    }
    waiting.add(start);
    start.handle.endedBy(
        (status, why) -> {
          if (waiting.remove(start)) {
            start.fail(status, why + " before its turn", null);
          } else if (opening.remove(start)) {
            start.fail(status, why + " while its file was being opened", null);
          }
        });
    startWaiting();
  }

  private void startWaiting() {
    while (own < MOST_OWN && !waiting.isEmpty()) {
      begin(waiting.remove());
    }
  }

  private void begin(Start start) {
    RunOn opener = start.opener;
    if (opener == null) {
      start.begin.accept(null);
      return;
    }
    own++;
    opening.add(start);
    opener.run(session, () -> start.opened = start.opens.call(), failure -> opened(start, failure));
  }

  private void opened(Start start, @Nullable Throwable failure) {
    own--;
    OpenSource source = start.opened;
    if (!opening.remove(start)) { // it has ended meanwhile
      if (source != null) {
        source.close();
      }
    } else if (failure != null) {
      FileTrouble file = FileTrouble.in(failure);
      RpcStatus status = file == null ? TransferProblem.statusOf(failure) : file.status();
      start.fail(status, TransferProblem.wordsOf(failure), failure);
    } else {
      start.begin.accept(source);
      session.schedulePump();
    }
    session.loop().atCycleEnd(this::startWaiting);
  }

  boolean isAnyWaiting() {
    return !waiting.isEmpty() || !opening.isEmpty();
  }

  void failWaiting(RpcStatus status, String why) {
    List<Start> dropped = new ArrayList<>(opening);
    dropped.addAll(waiting);
    opening.clear();
    waiting.clear();
    dropped.forEach(start -> start.fail(status, why, null));
  }

  // ---- begun by the peer ----

  /** Counts a new transfer of the peer. Returns the error of its number, or null. */
  @Nullable String begun(FrameKind kind, long id) {
    if (isOwn(id) || isOfACall(id) || number(id) <= lastOfPeer) {
      return kind + " with number " + id + " after number " + lastOfPeer;
    }
    lastOfPeer = number(id);
    return null;
  }

  boolean isFull() {
    return ofPeer >= MOST_OF_PEER;
  }

  void peerLost() {
    lastOfPeer = 0;
  }

  // ---- of either end ----

  /** Returns whether a transfer may have had this number. */
  boolean mayHaveBeen(long id) {
    return isOfACall(id) || number(id) <= (isOwn(id) ? lastOwn : lastOfPeer);
  }

  /** Stops counting a transfer, so that another may begin. */
  void remove(BulkTransfer transfer) {
    count(transfer, -1);
    session.loop().atCycleEnd(this::startWaiting);
  }

  /** Changes the count of its kind. */
  void count(BulkTransfer transfer, int change) {
    if (isOfACall(transfer.id)) {
      return;
    }
    if (transfer.begunHere) {
      own += change;
    } else {
      ofPeer += change;
    }
  }
}
