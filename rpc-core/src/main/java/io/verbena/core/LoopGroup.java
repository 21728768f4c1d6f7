package io.verbena.core;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The event loops of one client or server for one kind of link. Each has its own thread. Safe for
 * use by any thread.
 */
final class LoopGroup {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Cleaner CLEANER = Cleaner.create();

  private final String name;
  private final LinkProvider links;
  private final Idling idling;
  private final int most;
  private final List<Member> members = new ArrayList<>();
  private boolean closed;

  /** A loop and the number of its sessions. */
  private static final class Member {
    final EventLoop loop;
    final LoopThread thread;
    int sessions;

    Member(EventLoop loop, LoopThread thread) {
      this.loop = loop;
      this.thread = thread;
    }
  }

  /**
   * Makes a group without loops.
   *
   * @param most the largest number of loops
   */
  LoopGroup(String name, LinkProvider links, Idling idling, int most) {
    this.name = name;
    this.links = links;
    this.idling = idling;
    this.most = most;
  }

  /**
   * Makes all loops for accepted links, and returns them.
   *
   * @throws IllegalStateException if the group is closed
   */
  synchronized List<EventLoop> all() {
    while (members.size() < (links.linksMove() ? most : 1)) {
      add();
    }
    return members.stream().map(member -> member.loop).toList();
  }

  /**
   * Returns a loop for one more session. It makes a new loop if all have sessions and more are
   * allowed, and otherwise returns the loop with the fewest.
   *
   * @throws IllegalStateException if the group is closed, or cannot make its first loop
   */
  synchronized EventLoop join() {
    Member idlest =
        members.stream()
            .min(Comparator.comparingInt(member -> member.sessions))
            .orElseGet(this::add);
    if (idlest.sessions > 0 && members.size() < most) {
      try {
        idlest = add();
      } catch (IllegalStateException e) {
        // No thread or no file is available. Sessions can share a loop.
      }
    }
    idlest.sessions++;
    return idlest.loop;
  }

  /** Removes a session that had {@linkplain #join joined} and has ended. */
  synchronized void leave(EventLoop loop) {
    for (Member member : members) {
      if (member.loop == loop) {
        member.sessions--;
      }
    }
  }

  private Member add() {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    String thread = "verbena-" + name + "-" + NUMBER.incrementAndGet();
    EventLoop loop = new EventLoop(thread, NanoClock.SYSTEM, links);
    loop.cleaner(CLEANER);
    Member member = new Member(loop, LoopThread.start(loop, idling));
    members.add(member);
    return member;
  }

  synchronized boolean has(EventLoop loop) {
    return members.stream().anyMatch(member -> member.loop == loop);
  }

  /** Returns whether the calling thread runs one of these loops. */
  synchronized boolean isOwner() {
    return members.stream().anyMatch(member -> member.loop.isOwner());
  }

  /** Ends all loops. Returns whether they have ended and use no memory any more. */
  boolean end() {
    List<Member> closing;
    synchronized (this) {
      closed = true;
      closing = List.copyOf(members);
      members.clear();
    }
    return LoopThread.closeAll(closing.stream().map(member -> member.thread).toList());
  }
}
