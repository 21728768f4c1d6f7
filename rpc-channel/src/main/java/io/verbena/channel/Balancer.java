package io.verbena.channel;

import io.verbena.api.Metadata;
import io.verbena.api.stub.MethodDescriptor;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Chooses which of several servers a call goes to. Safe for use by any thread: calls of many
 * threads ask it at once. It must not block.
 */
@FunctionalInterface
public interface Balancer {
  /**
   * A call that is about to be made.
   *
   * @param metadata what its stub has it take along
   * @param again whether it was at a server before, and this is a move, a retry or a hedge: such a
   *     choice takes no turn, or calls and their moves in lockstep would meet one server first
   */
  record Outgoing(MethodDescriptor<?> method, Metadata metadata, boolean again) {}

  /** A server that the call may go to: its session is open. */
  interface Candidate {
    /** Returns where it is, and what is told of it. */
    Endpoint endpoint();

    /** Returns how many calls of this channel are under way there. */
    int inFlight();
  }

  /**
   * Chooses.
   *
   * @param among at least one, in the resolver's order; the list is valid for this call alone
   * @return the place in the list, from 0
   */
  int choose(List<? extends Candidate> among, Outgoing call);

  /** The first server that there is: the others stand by. */
  static Balancer pickFirst() {
    return (among, call) -> 0;
  }

  /** One after the other; calls that are made again have turns of their own. */
  static Balancer roundRobin() {
    AtomicInteger turn = new AtomicInteger();
    AtomicInteger turnAgain = new AtomicInteger();
    return (among, call) ->
        Math.floorMod((call.again() ? turnAgain : turn).getAndIncrement(), among.size());
  }

  /** Where the fewest calls of this channel are under way; by turns where that is equal. */
  static Balancer leastInFlight() {
    Balancer turns = roundRobin();
    return (among, call) -> {
      int first = turns.choose(among, call);
      int best = first;
      for (int i = 1; i < among.size(); i++) {
        int at = (first + i) % among.size();
        if (among.get(at).inFlight() < among.get(best).inFlight()) {
          best = at;
        }
      }
      return best;
    };
  }

  /** By chance, each as often as its {@linkplain Endpoint#weight weight} says. */
  static Balancer weighted() {
    return weighted(new Random());
  }

  /**
   * The same, by a chance of the caller's.
   *
   * @param random safe for use by any thread
   */
  static Balancer weighted(RandomGenerator random) {
    return (among, call) -> {
      long sum = 0;
      for (Candidate candidate : among) {
        sum += candidate.endpoint().weight();
      }
      long left = random.nextLong(sum);
      int at = 0;
      while ((left -= among.get(at).endpoint().weight()) >= 0) {
        at++;
      }
      return at;
    };
  }

  /**
   * Calls with the same value of a key in their stub's metadata go to the same server, as long as
   * it is there (rendezvous hashing by weight). Where one comes or goes, only the calls that it
   * gets or had move. Calls without the key go by turns.
   */
  static Balancer byKey(Metadata.Key<?> key) {
    Balancer others = roundRobin();
    return (among, call) -> {
      Object value = call.metadata().get(key);
      return value == null
          ? others.choose(among, call)
          : Rendezvous.of(among, Rendezvous.hash(value));
    };
  }
}
