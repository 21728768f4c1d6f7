package io.verbena.shm;

import io.verbena.link.LinkOptions;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** The links of one loop that stand, and what they have in common. */
final class Links {
  final ShmCounters counters;
  private final Place place;
  final Bells bells;
  private final Inbound inbound;
  private final List<ShmLink> all = new ArrayList<>();

  /** There are links that have closed, and whose memory is still mapped. */
  private boolean someClosed;

  Links(Place place, Bells bells, Inbound inbound, ShmCounters counters) {
    this.place = place;
    this.inbound = inbound;
    this.bells = bells;
    this.counters = counters;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Makes a link of an opening that has come to its end. */
  ShmLink add(
      RingFile file,
      boolean active,
      SocketChannel socket,
      LinkOptions options,
      String localAddress,
      String peerAddress)
      throws IOException {
    Bell bell;
    try {
      bell = bells.watch(socket);
    } catch (IOException | RuntimeException e) {
      file.unmap();
      throw e;
    }
    ShmLink link =
        new ShmLink(
            file,
            active,
            bell,
            options.maxFrameBytes(),
            inbound,
            place,
            localAddress,
            peerAddress,
            counters,
            () -> someClosed = true);
    all.add(link);
    counters.linksOpened.increment();
    counters.mappedBytes.add(link.mappedBytes());
    return link;
  }

  void wake() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).wake();
    }
  }

  void sleep() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).sleep();
    }
  }

  boolean haveWork() {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).hasWork()) {
        return true;
      }
    }
    return false;
  }

  int poll() {
    int work = 0;
    for (int i = 0; i < all.size(); i++) {
      work += all.get(i).poll();
    }
    return work;
  }

  /** Lets go of the memory of those that have closed. */
  void letGo() {
    if (!someClosed) {
      return;
    }
    someClosed = false;
    for (int i = all.size() - 1; i >= 0; i--) {
      ShmLink link = all.get(i);
      if (link.isClosed()) {
        all.remove(i);
        link.unmap();
        counters.linksClosed.increment();
        counters.mappedBytes.add(-link.mappedBytes());
        bells.forget();
      }
    }
  }

  /**
   * Ends those whose files have been truncated: compiled code goes on where it has touched what is
   * no more, and throws a little later, when it may be past the link whose memory it was.
   */
  int endTruncated(InternalError why) {
    int ended = 0;
    for (ShmLink link : List.copyOf(all)) {
      if (!link.isClosed() && !link.isWhole()) {
        link.broken(why);
        ended++;
      }
    }
    if (ended == 0) {
      throw why; // nobody knows whose memory it was
    }
    return ended;
  }

  void close() {
    List.copyOf(all).forEach(ShmLink::close);
    letGo();
  }
}
