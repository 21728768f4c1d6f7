package io.verbena.channel.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.verbena.channel.Endpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From EndpointSlices, as Kubernetes writes them, to endpoints. */
class PodsTest {
  private static final String PORTS = "ports: [{name: rpc, port: 7400, protocol: TCP}]";

  private static Pods pods(String port, String... slices) {
    List<EndpointSlice> read =
        Arrays.stream(slices)
            .map(yaml -> Serialization.unmarshal(yaml, EndpointSlice.class))
            .toList();
    return Pods.of(read, new KubernetesTarget("shop", "store", port));
  }

  private static List<String> addresses(String port, String... slices) {
    return pods(port, slices).ready().stream().map(Endpoint::address).toList();
  }

  @Test
  void tellZoneNodeAndPod() {
    Pods pods =
        pods(
            "rpc",
            """
            addressType: IPv4
            ports: [{name: rpc, port: 7400, protocol: TCP}, {name: http, port: 8080}]
            endpoints:
            - addresses: [10.1.2.3]
              conditions: {ready: true, serving: true, terminating: false}
              nodeName: node-1
              targetRef: {kind: Pod, name: store-abc, namespace: shop}
              zone: eu-1
            """);
    assertThat(pods.ready())
        .containsExactly(
            new Endpoint(
                "10.1.2.3:7400",
                1,
                "eu-1",
                Map.of("pod", "store-abc", "node", "node-1"),
                "store.shop.svc"));
    assertThat(pods.why()).isEmpty();
  }

  @Test
  void takeCallsWhereTheyAreReadyOrThatIsNotKnownAndNotTerminating() {
    assertThat(
            addresses(
                "rpc",
                PORTS
                    + """

                    endpoints:
                    - {addresses: [10.0.0.1], conditions: {ready: true}}
                    - {addresses: [10.0.0.2], conditions: {ready: false}}
                    - {addresses: [10.0.0.3], conditions: {}}
                    - {addresses: [10.0.0.4]}
                    - {addresses: [10.0.0.5], conditions: {ready: true, terminating: true}}
                    - {addresses: [10.0.0.6], conditions: {serving: true, terminating: true}}
                    """))
        .containsExactly("10.0.0.1:7400", "10.0.0.3:7400", "10.0.0.4:7400");
  }

  @Test
  void ofSeveralSlicesAreMergedEachOnce() {
    assertThat(
            addresses(
                "rpc",
                PORTS + "\nendpoints: [{addresses: [10.0.0.2]}, {addresses: [10.0.0.1]}]",
                "addressType: IPv6\n" + PORTS + "\nendpoints: [{addresses: ['fd00::1']}]",
                "ports: [{name: rpc, port: 7401}]\nendpoints: [{addresses: [10.0.0.1]}]",
                PORTS + "\nendpoints: [{addresses: [10.0.0.2, 10.0.0.9]}]"))
        .containsExactly("10.0.0.1:7400", "10.0.0.1:7401", "10.0.0.2:7400", "[fd00::1]:7400");
  }

  @Test
  void ofBothAddressFamiliesAreOneEndpointEach() {
    String pods =
        """

        endpoints:
        - {addresses: ['%s1'], targetRef: {kind: Pod, name: store-1, uid: a}}
        - {addresses: ['%s2'], targetRef: {kind: Pod, name: store-2, uid: b}}
        """;
    String four = "addressType: IPv4\n" + PORTS + pods.replace("%s", "10.0.0.");
    String six = "addressType: IPv6\n" + PORTS + pods.replace("%s", "fd00::");
    assertThat(addresses("rpc", six, four)).containsExactly("10.0.0.1:7400", "10.0.0.2:7400");
    assertThat(addresses("rpc", six)).containsExactly("[fd00::1]:7400", "[fd00::2]:7400");
  }

  @Test
  void areFoundByTheNumberOfTheirPortToo() {
    String unnamed = "ports: [{port: 7400}]\nendpoints: [{addresses: [10.0.0.1]}]";
    assertThat(addresses("7400", unnamed)).containsExactly("10.0.0.1:7400");
    assertThat(addresses("740", unnamed)).isEmpty();
  }

  @Test
  void areNotThereAndItIsSaidWhy() {
    assertThat(pods("rpc").why())
        .contains("service 'store' in namespace 'shop' has no ready pod")
        .contains("kubectl -n shop get endpointslices -l kubernetes.io/service-name=store");
    assertThat(pods("80", PORTS + "\nendpoints: [{addresses: [10.0.0.1]}]").why())
        .isEqualTo(
            "service 'store' in namespace 'shop' has no port '80': its pods have [rpc (7400)]");
    assertThat(pods("rpc", "ports: [{name: rpc, port: 7400, protocol: UDP}]").why())
        .contains("no ready pod");
  }

  @Test
  void ofAnEmptySliceAreNone() {
    assertThat(addresses("rpc", "ports: null\nendpoints: null", PORTS, PORTS + "\nendpoints: [{}]"))
        .isEmpty();
  }
}
