package io.verbena.core.bulk;

import io.verbena.link.BulkPort;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One link of a session, as bulk uses it: what is being written over it, what it is to bring, and
 * how fast. On the loop.
 */
public final class BulkPath {
  /** Longer memory is opened, and attached, in pieces of this length: a path may hold no more. */
  public static final long PIECE_BYTES = 32L << 20;

  /** What comes is measured over no less time than this: completions come in bursts. */
  private static final long MEASURED_NANOS = 5_000_000;

  /** So long a rate counts; a path that was slow once is tried again. */
  private static final long RATED_NANOS = 1_000_000_000;

  private final int epoch;
  private final BulkPort port;
  private final Set<Flight> flights = new LinkedHashSet<>();
  private long inFlight;
  private boolean closed;

  /** So many bytes are granted to the peer by it, and have not come. */
  private long awaited;

  private long measuredSince;
  private long measured;

  /** Bytes in a nanosecond; 0 while it is not known. */
  private double rate;

  private long ratedNanos;

  /** The path that the link with this number is. */
  public BulkPath(int epoch, BulkPort port) {
    this.epoch = epoch;
    this.port = port;
  }

  public int epoch() {
    return epoch;
  }

  public BulkPort port() {
    return port;
  }

  public boolean isClosed() {
    return closed;
  }

  /** Returns whether so many bytes may be written now; on an idle path any piece may. */
  public boolean hasRoom(int bytes) {
    return !closed && (inFlight == 0 || inFlight + bytes <= port.windowBytes());
  }

  /** Returns a write that {@link Flight#run} will end, or the end of the link. */
  public Flight fly(int bytes, Runnable then) {
    return new Flight(bytes, then);
  }

  // ---- what it brings ----

  /** So many bytes more are to come by it. */
  public void awaits(long bytes, long now) {
    if (awaited == 0) {
      measuredSince = now;
      measured = 0;
    }
    awaited += bytes;
  }

  /** So many of them will not: they came, or what they were for is closed. */
  public void awaitsNoMore(long bytes) {
    awaited -= bytes;
  }

  /** So many of them have come. */
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

  /** Returns how many bytes are to come by it. */
  public long awaited() {
    return awaited;
  }

  /**
   * Returns how many bytes it brings in a nanosecond; 0 where that is not known, or not of late.
   */
  public double rate(long now) {
    return now - ratedNanos < RATED_NANOS ? rate : 0;
  }

  /** The link is closed: nothing is read or written over it any more. */
  public void closed() {
    closed = true;
    List<Flight> lost = new ArrayList<>(flights);
    lost.forEach(Flight::run);
  }

  /** One write under way. */
  public final class Flight implements Runnable {
    private final int bytes;
    private final Runnable then;

    Flight(int bytes, Runnable then) {
      this.bytes = bytes;
      this.then = then;
    }

    /** The link has taken it. */
    public void sent() {
      inFlight += bytes;
      flights.add(this);
    }

    /** Its memory is not read any more. */
    @Override
    public void run() {
      if (flights.remove(this)) {
        inFlight -= bytes;
        then.run();
      }
    }
  }
}
