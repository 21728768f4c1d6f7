package io.verbena.rdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The order in which attempts try a peer's candidates. An attempt begins with the candidate that
 * worked last. If none did, it begins one further than the attempt before. Candidates that were
 * tried after a silent one may have failed only because the token was used up; so each must come
 * first at times.
 *
 * <p>A peer is identified by the first candidate that it offers. Only peers whose attempts begin
 * with another one take memory, and their number is limited.
 */
final class CandidateOrder {
  private static final int MOST_PEERS = 1024;

  private final LinkedHashMap<InetAddress, InetAddress> beginnings = new LinkedHashMap<>();

  /** Returns the candidates of an offer in the order to try. */
  List<InetSocketAddress> of(List<InetSocketAddress> offered) {
    List<InetSocketAddress> toTry = new ArrayList<>(offered);
    Collections.rotate(toTry, -beginning(offered));
    return toTry;
  }

  private int beginning(List<InetSocketAddress> offered) {
    InetAddress first = beginnings.get(offered.getFirst().getAddress());
    for (int i = 0; i < offered.size(); i++) {
      if (offered.get(i).getAddress().equals(first)) {
        return i;
      }
    }
    return 0;
  }

  /** Notes that a link was opened to a candidate of an offer. */
  void worked(List<InetSocketAddress> offered, InetSocketAddress candidate) {
    beginWith(offered, candidate.getAddress());
  }

  /** Notes that no candidate of an offer led to a link; they were tried in this order. */
  void failed(List<InetSocketAddress> offered, List<InetSocketAddress> tried) {
    beginWith(offered, tried.get(1 % tried.size()).getAddress());
  }

  private void beginWith(List<InetSocketAddress> offered, InetAddress candidate) {
    InetAddress peer = offered.getFirst().getAddress();
    beginnings.remove(peer);
    if (!candidate.equals(peer)) {
      beginnings.put(peer, candidate);
    }
    if (beginnings.size() > MOST_PEERS) {
      beginnings.pollFirstEntry();
    }
  }
}
