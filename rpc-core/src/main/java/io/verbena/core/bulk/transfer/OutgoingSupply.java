package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.memory.Crc;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.supply.Rereads;
import io.verbena.core.bulk.supply.Supply;
import io.verbena.core.bulk.work.RunOn;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an object on its way out is read from. Where its receiver compares a checksum that is not
 * made, or has a beginning from before, another supply takes the place of the first: it goes on
 * behind that beginning, if it is the same, else it begins anew. On the loop.
 *
 * <pre>
 *   READ ──a checksum is wanted──→ CHANGING ──closed──→ READ, summed
 *     └──a beginning from before──→ COMPARING ──read again──→ CHANGING
 * </pre>
 */
final class OutgoingSupply {
  private enum State {
    READ,
    /** Another supply takes this one's place, when this one is closed. */
    CHANGING,
    /** The receiver waits to hear where it begins, and so opens nothing. */
    COMPARING
  }

  private final BulkHost host;
  private final Transfers transfers;
  private final OpenSource source;
  private final Owner owner;

  /** Whether memory may be read into before the receiver has opened his. */
  private final boolean ahead;

  private Supply supply;
  private State state = State.READ;

  /** Whether it knows the checksum. */
  private boolean summed;

  private Rereads.@Nullable Reread reread;

  /** What waits for the end of a change. */
  private @Nullable Runnable whenChanged;

  /** The transfer. */
  interface Owner extends Supply.Owner {
    boolean isOver();

    /** The receiver, which waits for that, is to hear where the object begins. */
    void beginsAt(long from);
  }

  /**
   * A supply that has not begun.
   *
   * @param ahead whether memory may be read into before the receiver has opened his
   */
  OutgoingSupply(
      Transfers transfers, OpenSource source, boolean checked, boolean ahead, Owner owner) {
    this.host = transfers.host();
    this.transfers = transfers;
    this.source = source;
    this.ahead = ahead;
    this.owner = owner;
    this.summed = Supply.isSummed(source, checked);
    this.supply = Supply.of(host, transfers.readAhead(), source, checked);
  }

  void begin() {
    supply.begin(owner, ahead);
  }

  /** Returns what is read now; not in a change. */
  Supply now() {
    return supply;
  }

  boolean isChanging() {
    return state != State.READ;
  }

  /** Returns whether the receiver waits to hear where the object begins. */
  boolean isComparing() {
    return state == State.COMPARING;
  }

  /**
   * A checksum is compared.
   *
   * @param upTo how much the receiver has; 0: nothing
   * @param sum the checksum of that
   */
  void resumes(long upTo, int sum) {
    if (upTo > 0 && source.readBy() != RunOn.USER) { // who is called once, in order
      state = State.COMPARING;
      supply.close(() -> readAgain(upTo, sum));
      return;
    }
    if (upTo > 0) {
      owner.beginsAt(0);
    }
    if (!summed) {
      state = State.CHANGING;
      supply.close(() -> goOnFrom(0, new Crc()));
    }
  }

  private void readAgain(long upTo, int sum) {
    if (owner.isOver()) {
      goOnFrom(0, new Crc());
    } else {
      reread = transfers.rereads().begin(source, upTo, failure -> readAgain(upTo, sum, failure));
    }
  }

  private void readAgain(long upTo, int sum, @Nullable Throwable failure) {
    Crc crc = Objects.requireNonNull(reread).crc();
    reread = null;
    state = State.CHANGING;
    if (failure != null) {
      owner.cannotSupply(failure);
    }
    boolean same = !owner.isOver() && crc.value() == sum;
    if (!owner.isOver()) {
      owner.beginsAt(same ? upTo : 0);
    }
    goOnFrom(same ? upTo : 0, same ? crc : new Crc());
  }

  private void goOnFrom(long from, Crc crc) {
    state = State.READ;
    if (whenChanged != null) {
      whenChanged.run();
      return;
    }
    summed = true;
    supply = Supply.from(host, transfers.readAhead(), source, from, crc);
    begin();
    owner.suppliesMore();
  }

  /** No more is written; hears, maybe at once, when nothing is read any more. */
  void close(Runnable then) {
    if (!isChanging()) {
      supply.close(then);
      return;
    }
    whenChanged = then;
    if (reread != null) {
      reread.stop();
    }
  }
}
