package io.verbena.shm;

import io.verbena.link.LinkOptions;
import io.verbena.link.LocalSockets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The open links of one loop, and the state that they share. */
final class Links {
  final ShmCounters counters;
  private final LinkFiles place;
  final WakeupSockets sockets;
  private final Inbound inbound;
  private final List<ShmLink> all = new ArrayList<>();

  /** Some closed links still have their memory mapped. */
  private boolean someClosed;

  Links(LinkFiles place, WakeupSockets sockets, Inbound inbound, ShmCounters counters) {
    this.place = place;
    this.inbound = inbound;
    this.sockets = sockets;
    this.counters = counters;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Makes a link of a completed opening. */
  ShmLink add(
      RingFile file,
      boolean active,
      LocalSockets.Connected socket,
      LinkOptions options,
      String localAddress,
      String peerAddress)
      throws IOException {
    WakeupSocket wakeup;
    try {
      wakeup = sockets.watch(socket);
    } catch (IOException | RuntimeException e) {
      file.unmap();
      throw e;
    }
    ShmLink link =
        new ShmLink(
            file,
            active,
            wakeup,
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

  /** Unmaps the memory of closed links. */
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
      }
    }
  }

  /**
   * Ends links whose files were truncated. Compiled code continues after it has touched missing
   * memory, and throws a little later. By then it may handle another link, so all links are
   * checked.
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
      throw why; // no link's memory is missing
    }
    return ended;
  }

  void close() {
    List.copyOf(all).forEach(ShmLink::close);
    letGo();
  }
}
