package io.verbena.core.bulk;

import io.verbena.link.BulkPort;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One link of a session, as bulk uses it: what is being written over it, and how much. */
public final class BulkPath {
  /** Longer memory is opened, and attached, in pieces of this length: a path may hold no more. */
  public static final long PIECE_BYTES = 32L << 20;

  private final int epoch;
  private final BulkPort port;
  private final Set<Flight> flights = new LinkedHashSet<>();
  private long inFlight;
  private boolean closed;

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
