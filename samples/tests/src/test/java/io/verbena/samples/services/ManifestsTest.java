package io.verbena.samples.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The manifests for Kubernetes agree with each other, the programs and the nodes. */
class ManifestsTest {
  private static final String RDMA = "rdma/hca_shared_devices_a";
  private static final String NETWORKS = "k8s.v1.cni.cncf.io/networks";

  /** Ending sessions takes 5 s at most, and waiting for the drain 5 s more than the drain. */
  private static final long BESIDE_THE_DRAIN = 10;

  private static Container container(Deployment one) {
    return pod(one).getContainers().getFirst();
  }

  private static PodSpec pod(Deployment one) {
    return template(one).getSpec();
  }

  private static PodTemplateSpec template(Deployment one) {
    return one.getSpec().getTemplate();
  }

  private static Map<String, Integer> ports(Deployment one) {
    return container(one).getPorts().stream()
        .collect(Collectors.toMap(ContainerPort::getName, ContainerPort::getContainerPort));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp.yaml", "rdma.yaml"})
  void eachServiceHasItsPartsOfFieldsThatKubernetesKnows(String file) throws Exception {
    Manifests manifests = Manifests.read(file);
    List<String> names = List.of("shop", "stock", "warehouse");
    assertThat(manifests.of(Deployment.class))
        .extracting(one -> one.getMetadata().getName())
        .containsExactlyElementsOf(names);
    names.forEach(name -> manifests.named(Service.class, name));
    names.forEach(name -> manifests.named(PodDisruptionBudget.class, name));
    assertThat(manifests.named(Deployment.class, "stock").getSpec().getReplicas()).isEqualTo(3);
  }

  @Test
  void aFieldThatKubernetesDoesNotKnowIsRefused() throws Exception {
    String text = Files.readString(Manifests.file("tcp.yaml"));
    for (String wrong : List.of("clusterIp: None", "clusterIP: None\n  clusterIP: None")) {
      assertThatThrownBy(() -> Manifests.parse(text.replaceFirst("clusterIP: None", wrong)))
          .hasMessageContaining("cluster");
    }
    assertThatThrownBy(() -> Manifests.parse(text.replace("periodSeconds", "everySeconds")))
        .hasMessageContaining("everySeconds");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp.yaml", "rdma.yaml"})
  void portsAreThoseThatTheProgramsAreToldToListenAt(String file) throws Exception {
    Manifests manifests = Manifests.read(file);
    for (Deployment one : manifests.of(Deployment.class)) {
      List<String> args = container(one).getArgs();
      Class<?> program = Class.forName(args.getFirst());
      assertThat(Modifier.isStatic(program.getMethod("main", String[].class).getModifiers()))
          .isTrue();
      ParseResult parsed =
          ServiceProgram.command("any", here -> ShopRpc.bind((article, count) -> never()))
              .parseArgs(args.subList(1, args.size()).toArray(String[]::new));
      String listen = parsed.matchedOptionValue("--listen", "");
      String metrics = parsed.matchedOptionValue("--metrics", "");
      assertThat(ports(one))
          .containsExactlyInAnyOrderEntriesOf(
              Map.of("rpc", portOfAll(listen), "metrics", portOfAll(metrics)));
      assertThat(template(one).getMetadata().getAnnotations())
          .containsEntry("prometheus.io/port", String.valueOf(portOfAll(metrics)))
          .containsEntry("prometheus.io/path", "/metrics");
      assertThat(container(one).getReadinessProbe().getTcpSocket().getPort().getStrVal())
          .isEqualTo("rpc");
    }
  }

  private static Shop.Receipt never() {
    throw new AssertionError("nobody calls");
  }

  private static int portOfAll(String address) {
    assertThat(address).startsWith("0.0.0.0:");
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp.yaml", "rdma.yaml"})
  void selectorsFindThePodsOfTheirService(String file) throws Exception {
    Manifests manifests = Manifests.read(file);
    for (Deployment one : manifests.of(Deployment.class)) {
      String name = one.getMetadata().getName();
      Map<String, String> labels = template(one).getMetadata().getLabels();
      Service service = manifests.named(Service.class, name);
      assertThat(one.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
      assertThat(service.getSpec().getSelector()).isEqualTo(labels);
      assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
      assertThat(
              manifests
                  .named(PodDisruptionBudget.class, name)
                  .getSpec()
                  .getSelector()
                  .getMatchLabels())
          .isEqualTo(labels);
      ServicePort port = service.getSpec().getPorts().getFirst();
      assertThat(ports(one))
          .containsEntry(port.getTargetPort().getStrVal(), port.getPort())
          .containsKey(port.getName());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp.yaml", "rdma.yaml"})
  void podsHaveTheTimeToEndThatTheirServersMayTake(String file) throws Exception {
    for (Deployment one : Manifests.read(file).of(Deployment.class)) {
      assertThat(pod(one).getTerminationGracePeriodSeconds())
          .isGreaterThan(ServiceProgram.DRAIN.toSeconds() + BESIDE_THE_DRAIN);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp.yaml", "rdma.yaml"})
  void podsMayReadTheEndpointSlicesThatTheirNamesStandFor(String file) throws Exception {
    Manifests manifests = Manifests.read(file);
    Role role = manifests.of(Role.class).getFirst();
    RoleBinding binding = manifests.of(RoleBinding.class).getFirst();
    String account = manifests.of(ServiceAccount.class).getFirst().getMetadata().getName();
    assertThat(role.getRules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.getApiGroups()).containsExactly("discovery.k8s.io");
              assertThat(rule.getResources()).containsExactly("endpointslices");
              assertThat(rule.getVerbs()).containsExactly("get", "list", "watch");
            });
    assertThat(binding.getRoleRef().getKind()).isEqualTo("Role");
    assertThat(binding.getRoleRef().getName()).isEqualTo(role.getMetadata().getName());
    assertThat(binding.getSubjects())
        .singleElement()
        .satisfies(subject -> assertThat(subject.getName()).isEqualTo(account));
    for (Deployment one : manifests.of(Deployment.class)) {
      assertThat(pod(one).getServiceAccountName()).isEqualTo(account);
      assertThat(container(one).getEnv())
          .singleElement()
          .satisfies(
              names -> {
                assertThat(names.getName()).isEqualTo("VERBENA_NAMES");
                assertThat(names.getValue()).isEqualTo("*=kubernetes:///*:rpc");
              });
    }
  }

  @Test
  void rdmaNeedsADeviceMemoryAndANetworkAndNoCapability() throws Exception {
    for (Deployment one : Manifests.read("rdma.yaml").of(Deployment.class)) {
      Map<String, Quantity> limits = container(one).getResources().getLimits();
      assertThat(limits.get(RDMA)).isEqualTo(new Quantity("1"));
      assertThat(Objects.requireNonNull(limits.get("memory")).getNumericalAmount().longValueExact())
          .isGreaterThanOrEqualTo(1L << 30); // half for the heap, and 512 MiB that are pinned
      assertThat(template(one).getMetadata().getAnnotations()).containsKey(NETWORKS);
      assertThat(container(one).getSecurityContext().getCapabilities().getAdd()).isEmpty();
      assertThat(container(one).getSecurityContext().getCapabilities().getDrop())
          .containsExactly("ALL");
      assertThat(pod(one).getSecurityContext().getRunAsNonRoot()).isTrue();
    }
  }

  @Test
  void theVariantsDifferInWhatRdmaNeedsAlone() throws Exception {
    List<JsonNode> tcp = Manifests.read("tcp.yaml").plain();
    List<JsonNode> rdma = Manifests.read("rdma.yaml").plain();
    tcp.forEach(ManifestsTest::forget);
    rdma.forEach(ManifestsTest::forget);
    assertThat(rdma).isEqualTo(tcp);
  }

  private static void forget(JsonNode manifest) {
    JsonNode template = manifest.path("spec").path("template");
    remove(template.path("metadata").path("annotations"), NETWORKS);
    for (JsonNode container : template.path("spec").path("containers")) {
      remove(container.path("resources").path("limits"), RDMA, "memory");
      remove(container.path("resources").path("requests"), "memory");
    }
  }

  private static void remove(JsonNode from, String... fields) {
    if (from instanceof ObjectNode object) {
      object.remove(List.of(fields));
    }
  }

  @Test
  void prometheusFindsThePagesOfMetrics() throws Exception {
    JsonNode monitor =
        Manifests.plain(Files.readString(Manifests.file("podmonitor.yaml"))).getFirst();
    assertThat(monitor.path("kind").asString()).isEqualTo("PodMonitor");
    JsonNode spec = monitor.path("spec");
    assertThat(spec.propertyNames()).containsExactlyInAnyOrder("selector", "podMetricsEndpoints");
    JsonNode endpoint = spec.path("podMetricsEndpoints").get(0);
    assertThat(endpoint.propertyNames()).containsExactlyInAnyOrder("port", "path", "interval");
    for (Deployment one : Manifests.read("tcp.yaml").of(Deployment.class)) {
      assertThat(ports(one)).containsKey(endpoint.path("port").asString());
      Map<String, String> labels = template(one).getMetadata().getLabels();
      spec.path("selector")
          .path("matchLabels")
          .properties()
          .forEach(
              label ->
                  assertThat(labels).containsEntry(label.getKey(), label.getValue().asString()));
    }
  }

  @Test
  void theImageRunsAsTheUserAndOpensThePortsOfThePods() throws Exception {
    List<String> image = Files.readAllLines(Manifests.file("Dockerfile"));
    for (Deployment one : Manifests.read("rdma.yaml").of(Deployment.class)) {
      assertThat(image).contains("USER " + pod(one).getSecurityContext().getRunAsUser());
      assertThat(image)
          .contains("EXPOSE " + ports(one).get("rpc") + " " + ports(one).get("metrics"));
      assertThat(container(one).getImage()).isEqualTo("verbena-sample:0.1.0");
    }
    assertThat(image).anyMatch(line -> line.contains("docker build") && line.contains(":0.1.0"));
    assertThat(image).anyMatch(line -> line.contains("-pl :sample-services,:cli "));
  }
}
