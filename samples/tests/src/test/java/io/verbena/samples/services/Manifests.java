package io.verbena.samples.services;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What a file of manifests says, field by field as Kubernetes knows them: any other is refused.
 *
 * @param plain the documents as they are
 */
record Manifests(List<HasMetadata> all, List<JsonNode> plain) {
  private static final Path DIRECTORY = Root.resolve("samples/kubernetes");

  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.of(
          "v1 Service", Service.class,
          "v1 ServiceAccount", ServiceAccount.class,
          "apps/v1 Deployment", Deployment.class,
          "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class,
          "rbac.authorization.k8s.io/v1 Role", Role.class,
          "rbac.authorization.k8s.io/v1 RoleBinding", RoleBinding.class);

  /** The model keeps what it does not know; this one has no place for it. */
  private static final YAMLMapper STRICT =
      YAMLMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .addModule(
              new SimpleModule()
                  .setDeserializerModifier(
                      new ValueDeserializerModifier() {
                        @Override
                        public BeanDeserializerBuilder updateBuilder(
                            DeserializationConfig config,
                            BeanDescription.Supplier type,
                            BeanDeserializerBuilder builder) {
                          builder.setAnySetter(null);
                          return builder;
                        }
                      }))
          .build();

  static Path file(String name) {
    return DIRECTORY.resolve(name);
  }

  static Manifests read(String name) throws Exception {
    return parse(Files.readString(file(name)));
  }

  static Manifests parse(String yaml) {
    List<HasMetadata> all = new ArrayList<>();
    List<JsonNode> plain = plain(yaml);
    for (JsonNode one : plain) {
      String kind = one.path("apiVersion").asString() + " " + one.path("kind").asString();
      Class<? extends HasMetadata> type =
          Optional.ofNullable(KINDS.get(kind)).orElseThrow(() -> new AssertionError(kind));
      all.add(STRICT.treeToValue(one, type));
    }
    return new Manifests(all, plain);
  }

  /** Reads documents of any kind. */
  static List<JsonNode> plain(String yaml) {
    try (MappingIterator<JsonNode> documents = STRICT.readerFor(JsonNode.class).readValues(yaml)) {
      return documents.readAll();
    }
  }

  <T extends HasMetadata> List<T> of(Class<T> type) {
    return all.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <T extends HasMetadata> T named(Class<T> type, String name) {
    return of(type).stream()
        .filter(one -> one.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " " + name));
  }
}
