package io.verbena.core.bulk.destination;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.work.Offload;
import io.verbena.core.bulk.work.TransferProblem;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A destination that a push handler is asked for when an object is offered. */
public final class AskedDestination implements Destination {
  private final BulkHost host;
  private final PushTaker taker;
  private final PushHandler.Offer offer;

  /** What the handler said, before it is prepared; or why it said nothing. */
  private @Nullable Destination asked;

  private Runnable moves = () -> {};
  private Consumer<Throwable> broken = failure -> {};
  private @Nullable Exception refusal;
  private @Nullable Destination given;
  private @Nullable Waiting waiting;

  /** Preparing that has its turn to come, or has had it. */
  private record Waiting(Runnable start, Consumer<@Nullable Throwable> then) {}

  public AskedDestination(BulkHost host, PushTaker taker, PushHandler.Offer offer) {
    this.host = host;
    this.taker = taker;
    this.offer = offer;
  }

  @Override
  public void belongsTo(Runnable moves, Consumer<Throwable> broken) {
    this.moves = moves;
    this.broken = broken;
  }

  private Destination given() {
    Destination destination = given;
    if (destination == null) {
      throw new IllegalStateException("nobody said where " + offer.name() + " goes");
    }
    return destination;
  }

  @Override
  public long capacity() {
    return Long.MAX_VALUE;
  }

  /** Asks the handler, where that may be done on the loop. */
  @Override
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public boolean isQuicklyPrepared(long length) {
    if (!taker.onLoop()) {
      return false;
    }
    try {
      Destination destination = ask(length);
      asked = destination;
      return destination.isQuicklyPrepared(length);
    } catch (Exception e) {
      refusal = e;
    } catch (Throwable e) {
      refusal = new TransferProblem(RpcStatus.INTERNAL, TransferProblem.wordsOf(e));
    }
    return true;
  }

  @Override
  public void prepare(long length, Checksum checksum) throws Exception {
    if (refusal != null) {
      throw refusal;
    }
    Destination destination = asked == null ? ask(length) : asked;
    destination.prepare(length, checksum);
    given = destination;
  }

  /** Handlers are called in turn, so that a peer which gives up at once starts no more of them. */
  @Override
  public void prepareElsewhere(
      BulkHost host, long length, Checksum checksum, Consumer<@Nullable Throwable> then) {
    Destination answered = asked;
    if (answered != null) {
      prepare(answered, length, checksum, then);
      return;
    }
    Runnable start =
        () ->
            Offload.call(
                host,
                () -> asked = ask(length),
                failure -> {
                  taker.returned();
                  Destination destination = asked;
                  if (destination == null) {
                    then.accept(failure);
                  } else {
                    prepare(destination, length, checksum, then);
                  }
                });
    waiting = new Waiting(start, then);
    taker.call(start);
  }

  private void prepare(
      Destination destination, long length, Checksum checksum, Consumer<@Nullable Throwable> then) {
    destination.prepareElsewhere(
        host,
        length,
        checksum,
        failure -> {
          given = failure == null ? destination : null;
          then.accept(failure);
        });
  }

  private Destination ask(long length) throws TransferProblem {
    Landing landing = taker.handler().offered(offer);
    if (landing == null) {
      throw new TransferProblem(RpcStatus.PERMISSION_DENIED, "it was refused by the peer");
    }
    if (length > landing.capacity()) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its destination takes " + landing.capacity() + " bytes, and it has " + length);
    }
    Destination destination = Destination.of(host, Destination.watched(landing, offer.transfer()));
    destination.belongsTo(moves, broken);
    return destination;
  }

  @Override
  public @Nullable Beginning beginning() {
    return given().beginning();
  }

  @Override
  public void beginAgain(Consumer<@Nullable Throwable> then) {
    given().beginAgain(then);
  }

  @Override
  public @Nullable LandingPiece next(long offset) {
    return given().next(offset);
  }

  @Override
  public @Nullable LandingPiece shorter(LandingPiece last) {
    return given().shorter(last);
  }

  @Override
  public void takeBack(LandingPiece last) {
    given().takeBack(last);
  }

  @Override
  public void filled(LandingPiece piece, Consumer<Throwable> whenBroken, Runnable whenFreed) {
    given().filled(piece, whenBroken, whenFreed);
  }

  @Override
  public void giveUp() {
    Waiting its = waiting;
    if (given != null) {
      given.giveUp();
    } else if (its != null && taker.takeBack(its.start)) {
      its.then.accept(new TransferProblem(RpcStatus.CANCELLED, "it was given up"));
    }
  }

  @Override
  public boolean isIdle() {
    return given == null || given.isIdle();
  }

  @Override
  public boolean isInPlace() {
    return given().isInPlace();
  }

  @Override
  public void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    given().finish(length, expected, then);
  }

  /** The object is the handler's: whoever watches the transfer hears of its length alone. */
  @Override
  public Received received(long length) {
    taker.hand(host, offer, given().received(length));
    return Arrived.elsewhere(length);
  }

  @Override
  public void discard(boolean keep, Runnable then) {
    if (given != null) {
      given.discard(keep, then);
    } else {
      then.run();
    }
  }

  /** As long as nobody has said where it goes, it may be the user's. */
  @Override
  public boolean isUsers() {
    return given == null || given.isUsers();
  }
}
