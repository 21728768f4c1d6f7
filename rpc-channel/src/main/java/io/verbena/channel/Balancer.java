package io.verbena.channel;

import io.verbena.api.Metadata;
import io.verbena.api.stub.MethodDescriptor;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Chooses the server for a call. Safe for use by any thread: threads that make calls ask it
 * concurrently. It must not block.
 */
@FunctionalInterface
public interface Balancer {
  /**
   * A call that is about to be made.
   *
   * @param metadata the metadata that travel with it: its stub's, and from the second attempt on
   *     its {@linkplain io.verbena.api.AttemptNumber number}. Interceptors add theirs after the
   *     choice, because they know the session
   * @param again whether another attempt came before, so that this is a move, a retry or a hedge.
   *     Such a choice takes no turn: otherwise calls in lockstep with their moves would all meet
   *     the same server first
   */
  record Outgoing(MethodDescriptor<?> method, Metadata metadata, boolean again) {}

  /** A server with an open session, to which the call may go. */
  interface Candidate {
    /** Returns the server's address, with what its registry says of it. */
    Endpoint endpoint();

    /** Returns the number of calls of this channel that are under way at the server. */
    int inFlight();
  }

  /**
   * Chooses a server.
   *
   * @param among at least one, in the resolver's order; the list is valid for this call alone
   * @return an index of the list
   */
  int choose(List<? extends Candidate> among, Outgoing call);

  /** Returns a balancer that always chooses the first server; the others stand by. */
  static Balancer pickFirst() {
    return (among, call) -> 0;
  }

  /**
   * Returns a balancer that chooses servers in turn. Further attempts of a call have turns of their
   * own.
   */
  static Balancer roundRobin() {
    AtomicInteger turn = new AtomicInteger();
    AtomicInteger turnAgain = new AtomicInteger();
    return (among, call) ->
        Math.floorMod((call.again() ? turnAgain : turn).getAndIncrement(), among.size());
  }

  /**
   * Returns a balancer that chooses the server with the fewest calls of this channel under way.
   * Servers with equally few take turns.
   */
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

  /**
   * Returns a balancer that chooses at random, in proportion to each server's {@linkplain
   * Endpoint#weight weight}.
   */
  static Balancer weighted() {
    return weighted(new Random());
  }

  /**
   * Returns a weighted balancer like {@link #weighted()}, with a source of random numbers.
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
   * Returns a balancer that sends calls with the same value of a metadata key to the same server,
   * as long as that server is there (rendezvous hashing by weight). When a server joins or leaves,
   * only the calls that it gains or loses move. Calls without the key take turns.
   */
  static Balancer byKey(Metadata.Key<?> key) {
    Balancer others = roundRobin();
    return (among, call) -> {
      Object value = call.metadata().get(key);
      if (value == null) {
        return others.choose(among, call);
      }
      long hash = Rendezvous.hash(value);
      int best = 0;
      double most = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < among.size(); i++) {
        double liking = Rendezvous.liking(hash, among.get(i).endpoint());
        if (liking > most) {
          most = liking;
          best = i;
        }
      }
      return best;
    };
  }
}
