package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Metadata;
import io.verbena.api.stub.MethodDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which of several servers a call goes to. */
class BalancerTest {
  private static final Metadata.Key<String> USER = Metadata.Key.text("user");
  private static final MethodDescriptor<?> METHOD = ShopRpc.SERVICE.methods().getFirst();

  private record Server(Endpoint endpoint, int inFlight) implements Balancer.Candidate {
    Server(String address) {
      this(Endpoint.of(address), 0);
    }
  }

  private static Balancer.Outgoing call(Metadata metadata) {
    return new Balancer.Outgoing(METHOD, metadata, false);
  }

  private static String chosen(Balancer balancer, List<Server> among, Metadata metadata) {
    return among.get(balancer.choose(among, call(metadata))).endpoint().address();
  }

  private static List<Server> servers(int count) {
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      servers.add(new Server("server-" + i + ":7400"));
    }
    return servers;
  }

  @Test
  void whereTheFewestCallsAreUnderWay() {
    List<Server> among =
        List.of(
            new Server(Endpoint.of("busy"), 3),
            new Server(Endpoint.of("idle"), 1),
            new Server(Endpoint.of("busier"), 9));
    assertThat(chosen(Balancer.leastInFlight(), among, Metadata.EMPTY)).isEqualTo("idle");
  }

  @Test
  void asOftenAsItsWeightSays() {
    List<Server> among =
        List.of(
            new Server(Endpoint.of("light"), 0), new Server(Endpoint.of("heavy").withWeight(3), 0));
    Balancer balancer = Balancer.weighted(new Random(1));
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 4_000; i++) {
      counts.merge(chosen(balancer, among, Metadata.EMPTY), 1, Integer::sum);
    }
    assertThat(counts.get("heavy")).isBetween(2_900, 3_100);
  }

  @Test
  void aKeyKeepsItsServerWhereAnotherOneGoes() {
    Balancer balancer = Balancer.byKey(USER);
    List<Server> all = servers(10);
    List<Server> fewer = all.subList(1, 10);
    int moved = 0;
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      Metadata user = Metadata.EMPTY.with(USER, "user " + i);
      String before = chosen(balancer, all, user);
      counts.merge(before, 1, Integer::sum);
      String now = chosen(balancer, fewer, user);
      if (!now.equals(before)) {
        assertThat(before).isEqualTo("server-0:7400");
        moved++;
      }
    }
    assertThat(moved).isEqualTo(counts.get("server-0:7400"));
    assertThat(counts.values()).hasSize(10).allMatch(count -> count > 60 && count < 150);
  }

  @Test
  void callsWithoutTheKeyGoByTurns() {
    Balancer balancer = Balancer.byKey(USER);
    List<Server> among = servers(2);
    assertThat(chosen(balancer, among, Metadata.EMPTY))
        .isNotEqualTo(chosen(balancer, among, Metadata.EMPTY));
  }

  @Test
  void clientsHaveSubsetsThatChangeLittle() {
    List<Endpoint> all = servers(20).stream().map(Server::endpoint).toList();
    List<Endpoint> mine = Rendezvous.subset(all, 5, 1);
    assertThat(mine).hasSize(5).isNotEqualTo(Rendezvous.subset(all, 5, 2));
    List<Endpoint> fewer = new ArrayList<>(all);
    fewer.remove(mine.getFirst());
    assertThat(Rendezvous.subset(fewer, 5, 1)).hasSize(5).containsAll(mine.subList(1, 5));
  }
}
