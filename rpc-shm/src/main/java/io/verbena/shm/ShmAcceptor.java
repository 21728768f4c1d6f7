package io.verbena.shm;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LocalSockets;
import io.verbena.link.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The passive end: it makes offers, and opens links for peers that connect with the token of an
 * offer. For other callers no link is made.
 */
final class ShmAcceptor {
  /**
   * A token lives twice the time limit: one for the offer's way to the peer, one for the way back.
   * Connecting has its own.
   */
  private static final int OFFER_LIVES = 2;

  private static final int MOST_OFFERED = 1024;
  private static final int MOST_CALLERS = 64;

  /** The time in which a caller must send its token. */
  private static final long GREETS_WITHIN_NANOS = Duration.ofSeconds(2).toNanos();

  private final Links links;
  private final LinkFiles place;
  private final int ringBytes;
  private final WakeupSockets sockets;
  private final SecureRandom random;
  private final long id;
  private final Path directory;
  private final List<Offered> offers = new ArrayList<>();
  private final List<PassiveOpening> callers = new ArrayList<>();
  private LocalSockets.@Nullable Listening server;

  /** An offer that no peer has taken yet. */
  record Offered(
      Secret token, LinkOptions options, LinkDriver.ConnectHandler handler, long deadline) {}

  ShmAcceptor(
      Links links, LinkFiles place, int ringBytes, WakeupSockets sockets, SecureRandom random) {
    this.links = links;
    this.place = place;
    this.ringBytes = ringBytes;
    this.sockets = sockets;
    this.random = random;
    this.id = random.nextLong();
    this.directory = place.directory(id);
  }

  String address() {
    return LinkFiles.address(directory);
  }

  Path directory() {
    return directory;
  }

  int ringBytes() {
    return ringBytes;
  }

  /** Returns a number for the file of a link. */
  long nextNumber() {
    return random.nextLong();
  }

  byte[] offer(LinkOptions options, LinkDriver.ConnectHandler handler, long now)
      throws LinkException {
    listen();
    if (offers.size() >= MOST_OFFERED) { // honest peers take theirs within milliseconds
      LinkException why = notTaken(MOST_OFFERED + " newer offers are open", null);
      offers.removeFirst().handler.onFailed(why);
    }
    long deadline = now + OFFER_LIVES * options.connectTimeout().toNanos();
    Offered offered = new Offered(Secret.random(random), options, handler, deadline);
    offers.add(offered);
    return new ShmOffer(id, offered.token, ringBytes).encode();
  }

  private void listen() throws LinkException {
    if (Files.exists(directory.resolve(LinkFiles.BELL), LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (server != null) {
      close(); // the directory was removed, as systemd does when a user logs out
    }
    boolean made = false;
    try {
      place.make(id);
      made = true;
      server = sockets.listen(directory.resolve(LinkFiles.BELL), MOST_OFFERED);
    } catch (IOException | RuntimeException e) {
      if (made) {
        close();
      }
      throw new LinkException("no peer can connect to " + directory + ": " + e, e);
    }
  }

  /** Uses a token up; null if it is invalid. */
  @Nullable Offered redeem(Secret token) {
    Offered found = null;
    for (Offered one : offers) {
      if (one.token.matches(token)) {
        found = one;
      }
    }
    offers.remove(found);
    return found;
  }

  /** Says why a file could not be made, and what to do; the system's message does not. */
  String whyNoFile(IOException failure) {
    long needs = RingFile.bytes(ringBytes);
    try {
      if (place.roomBytes() < needs) {
        return "%s has no room for %.1f MiB (that of a container has 64 MiB by default): docker run --shm-size, or a smaller %s"
            .formatted(place, (double) needs / (1 << 20), ShmSettings.RING_PROPERTY);
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return "no file can be made in " + directory + ": " + failure;
  }

  boolean isOpening() {
    return !callers.isEmpty();
  }

  boolean hasOffers() {
    return !offers.isEmpty();
  }

  int step(long now) {
    int work = 0;
    LocalSockets.Connected caller;
    while (callers.size() < MOST_CALLERS && (caller = sockets.takeConnected()) != null) {
      admit(caller, now);
      work++;
    }
    for (int i = 0; i < callers.size(); i++) {
      work += callers.get(i).step(now);
    }
    callers.removeIf(Opening::isKnown);
    return work + expire(now);
  }

  private void admit(LocalSockets.Connected caller, long now) {
    callers.add(new PassiveOpening(links, this, caller, now + GREETS_WITHIN_NANOS));
  }

  private int expire(long now) {
    int expired = 0;
    for (int i = offers.size() - 1; i >= 0; i--) {
      if (now - offers.get(i).deadline >= 0) {
        offers.remove(i).handler.onFailed(notTaken("no peer connected in time", null));
        expired++;
      }
    }
    return expired;
  }

  static LinkException notTaken(String why, @Nullable Throwable cause) {
    return new LinkException("the offered shared-memory link was not taken: " + why, cause);
  }

  /** Refuses further peers, and notifies those that wait for a link. */
  void close() {
    LocalSockets.Listening listening = server;
    if (listening != null) {
      server = null;
      try {
        listening.close();
      } catch (IOException e) {
        // Its result does not matter any more.
      }
      sockets.closed(listening);
    }
    LinkFiles.remove(directory);
  }

  /** The driver is closed. */
  void abandon() {
    LinkException closed = notTaken("the driver was closed", null);
    List.copyOf(callers).forEach(one -> one.fail(closed));
    callers.clear();
    List<Offered> all = List.copyOf(offers);
    offers.clear();
    all.forEach(one -> one.handler.onFailed(closed));
    if (server != null) {
      close();
    }
  }
}
