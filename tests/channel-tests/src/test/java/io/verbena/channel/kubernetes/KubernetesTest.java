package io.verbena.channel.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.town.Heard;
import io.verbena.channel.town.Town;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.RefusedThreads;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers behind the EndpointSlices of a service. */
class KubernetesTest {
  private static final String TARGET = "kubernetes:///shop/store:rpc";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private static Function<VerbenaClient, BalancedChannel.Builder> channel(KubernetesClient api) {
    return client -> BalancedChannel.builder(client, new KubernetesResolver(api, TARGET));
  }

  @Test
  @Tag("long")
  void noCallFailsWherePodsComeAndGo() throws Exception {
    try (Town town = new Town(client -> channel(api.client).apply(client).waitForReady())) {
      VerbenaServer a = town.server("a");
      VerbenaServer b = town.server("b");
      api.add(a);
      api.add(b);
      town.awaitKnown(a, b);
      assertThat(town.endpoints()).allMatch(endpoint -> endpoint.zone().equals("eu-1"));
      town.call();
      api.notReady(a);
      town.awaitKnown(b);
      a.close();
      VerbenaServer c = town.server("c");
      api.add(c);
      town.awaitKnown(b, c);
      api.remove(b);
      town.awaitKnown(c);
      town.awaitCalls();
      town.stopCalling();
    }
  }

  @Test
  @Tag("long")
  void callsGoOnWhileTheApiServerIsAway() throws Exception {
    try (Town town = new Town(channel(api.client))) {
      VerbenaServer a = town.server("a");
      api.add(a);
      town.awaitKnown(a);
      town.call();
      api.stop();
      town.awaitCalls();
      api.comeBack();
      VerbenaServer b = town.server("b");
      api.add(b);
      town.awaitKnown(a, b);
      town.stopCalling();
    }
  }

  @Test
  void aPodFindsAnotherByTheTargetAlone() {
    Set<Long> before = threads();
    System.setProperty("kubernetes.master", api.url());
    System.setProperty("kubernetes.namespace", "shop");
    api.stop();
    try (Town town =
        new Town(client -> BalancedChannel.builder(client, "kubernetes:///store:rpc"))) {
      assertThatThrownBy(() -> town.shop().who(""))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("pods of service 'store' could not be looked up");
      api.comeBack();
      VerbenaServer server = town.server("a");
      api.add(server);
      town.awaitKnown(server);
      assertThat(town.shop().who("")).isEqualTo("a");
    } finally {
      System.clearProperty("kubernetes.master");
      System.clearProperty("kubernetes.namespace");
    }
    await()
        .until(
            () -> {
              System.gc(); // the JDK's clients have a thread until they are collected
              return before.containsAll(threads());
            });
  }

  /** Returns the threads of clients' connections. */
  private static Set<Long> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("HttpClient-"))
        .map(Thread::threadId)
        .collect(Collectors.toSet());
  }

  @Test
  void saysWhichRoleIsMissing() {
    KubernetesMockServer refusing = new KubernetesMockServer(false);
    refusing.init();
    refusing
        .expect()
        .get()
        .withPath(
            "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dstore&resourceVersion=0")
        .andReturn(403, new StatusBuilder().withCode(403).withReason("Forbidden").build())
        .always();
    try (KubernetesClient client = refusing.createClient();
        Town town = new Town(channel(client))) {
      assertThatThrownBy(() -> town.shop().who(""))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("a Role in namespace 'shop'")
          .hasMessageContaining("get, list and watch of discovery.k8s.io endpointslices");
    } finally {
      refusing.destroy();
    }
  }

  @Test
  void theHowToPagesRoleIsTheOneThatIsAskedFor() throws Exception {
    String page = Files.readString(Root.resolve("docs/how-to/many-machines.md"));
    String yaml = page.substring(page.indexOf("```yaml\n") + 8, page.indexOf("\n---\n"));
    assertThat(Serialization.unmarshal(yaml, Role.class).getRules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.getApiGroups()).containsExactly("discovery.k8s.io");
              assertThat(rule.getResources()).containsExactly("endpointslices");
              assertThat(rule.getVerbs()).containsExactly("get", "list", "watch");
            });
  }

  @Test
  void refusesTargetsThatAreNone() {
    for (String target :
        List.of(
            "kubernetes:///store",
            "kubernetes:///a/b/store:rpc",
            "kubernetes://shop/store:rpc",
            "kubernetes:store:rpc",
            "kubernetes:///shop/:rpc",
            "kubernetes:///Shop/store:rpc")) {
      assertThatThrownBy(() -> new KubernetesResolver(api.client, target))
          .as(target)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("write kubernetes:///namespace/service:port");
    }
  }

  @Test
  void podsAreFoundThoughHandlersBurnEveryCarrier() throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread.startVirtualThread(
          () -> {
            while (!enough.get()) {
              Thread.onSpinWait();
            }
          });
    }
    try (Town town = new Town(channel(api.client))) {
      VerbenaServer a = town.server("a");
      api.add(a);
      town.awaitKnown(a);
    } finally {
      enough.set(true);
    }
  }

  /** Later threads than the first may be those of the API server's stand-in. */
  @Test
  @SuppressWarnings("ThreadLocalUsage") // one for each test
  @Tag("long")
  void podsAreFoundAsSoonAsThereAreThreadsAgain() throws Exception {
    CountDownLatch refusedOrNotNeeded = new CountDownLatch(1);
    RefusedThreads refused = new RefusedThreads(refusedOrNotNeeded::countDown);
    KubernetesResolver resolver = new KubernetesResolver(api.client, TARGET);
    Heard heard = new Heard(refusedOrNotNeeded::countDown);
    try (Town town = new Town(channel(api.client))) {
      api.add(town.server("a"));
      refused.after(0);
      resolver.start(heard);
      assertThat(refusedOrNotNeeded.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(heard.failures().poll(30, TimeUnit.SECONDS)).contains(RefusedThreads.WORDS);
      refused.allow();
      assertThat(heard.found().poll(30, TimeUnit.SECONDS)).isNotNull();
    } finally {
      refused.close();
      resolver.close();
    }
  }
}
