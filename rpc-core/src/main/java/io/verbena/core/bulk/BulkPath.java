package io.verbena.core.bulk;

import io.verbena.link.BulkPort;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One link of a session for large objects: the writes under way, the bytes to come, and the rate.
 * On the loop.
 */
public final class BulkPath {
  /**
   * Longer memory is opened and attached in pieces of this length, because a path may have no more
   * room.
   */
  public static final long PIECE_BYTES = 32L << 20;

  /** The shortest time over which a rate is measured, because completions come in bursts. */
  private static final long MEASURED_NANOS = 5_000_000;

  /** The time for which a rate is valid. Later a slow path is tried again. */
  private static final long RATED_NANOS = 1_000_000_000;

  public final int epoch;
  public final BulkPort port;
  private final Set<Flight> flights = new LinkedHashSet<>();
  private long inFlight;
  private boolean closed;

  /** The bytes that were granted to the peer on this path and have not arrived. */
  private long awaited;

  private long measuredSince;
  private long measured;

  /** In bytes per nanosecond; 0 while it is not known. */
  private double rate;

  private long ratedNanos;

  public BulkPath(int epoch, BulkPort port) {
    this.epoch = epoch;
    this.port = port;
  }

  public boolean isClosed() {
    return closed;
  }

  /** Returns whether this many bytes may be written now. An idle path accepts any piece. */
  public boolean hasRoom(int bytes) {
    return !closed && (inFlight == 0 || inFlight + bytes <= port.windowBytes());
  }

  /** Returns a write, which {@link Flight#run} or the end of the link ends. */
  public Flight fly(int bytes, Runnable then) {
    return new Flight(bytes, then);
  }

  // ---- bytes to come ----

  /** Adds bytes that are to come by this path. */
  public void expect(long bytes, long now) {
    if (awaited == 0) {
      measuredSince = now;
      measured = 0;
    }
    awaited += bytes;
  }

  /** Subtracts bytes that arrived, or whose memory is closed. */
  public void expectNoMore(long bytes) {
    awaited -= bytes;
  }

  /** Subtracts bytes that arrived, and measures their rate. */
  public void brought(long bytes, long now) {
    awaited -= bytes;
    measured += bytes;
    long nanos = now - measuredSince;
    if (nanos >= MEASURED_NANOS) {
      double latest = (double) measured / nanos;
      rate = rate(now) == 0 ? latest : (rate + latest) / 2;
      ratedNanos = now;
      measuredSince = now;
      measured = 0;
    }
  }

  public long awaited() {
    return awaited;
  }

  /** Returns the rate in bytes per nanosecond; 0 if it is not known, or is out of date. */
  public double rate(long now) {
    return now - ratedNanos < RATED_NANOS ? rate : 0;
  }

  /** Ends every write. The link is closed, and nothing is read or written over it any more. */
  public void closed() {
    closed = true;
    List<Flight> lost = new ArrayList<>(flights);
    lost.forEach(Flight::run);
  }

  public final class Flight implements Runnable {
    private final int bytes;
    private final Runnable then;

    Flight(int bytes, Runnable then) {
      this.bytes = bytes;
      this.then = then;
    }

    /** Notes that the link has accepted the write. */
    public void sent() {
      inFlight += bytes;
      flights.add(this);
    }

    /** Ends the write. Nothing reads its memory any more. */
    @Override
    public void run() {
      if (flights.remove(this)) {
        inFlight -= bytes;
        then.run();
      }
    }
  }
}
