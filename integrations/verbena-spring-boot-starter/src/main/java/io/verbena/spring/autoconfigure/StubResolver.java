package io.verbena.spring.autoconfigure;

import io.verbena.spring.VerbenaStub;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.context.annotation.ContextAnnotationAutowireCandidateResolver;
import org.springframework.core.MethodParameter;

/**
 * Resolves injection points with {@link VerbenaStub}, as Spring resolves those with {@code @Value}:
 * fields, setters and parameters alike.
 */
final class StubResolver extends ContextAnnotationAutowireCandidateResolver {
  private final ConfigurableListableBeanFactory beans;
  private final ObjectProvider<SpringChannels> channels;

  StubResolver(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    this.channels = beans.getBeanProvider(SpringChannels.class);
  }

  @Override
  public @Nullable Object getSuggestedValue(DependencyDescriptor point) {
    VerbenaStub stub = stub(point);
    if (stub == null) {
      return super.getSuggestedValue(point);
    }
    String name = beans.resolveEmbeddedValue(stub.value());
    return channels.getObject().stub(name == null ? "" : name, point.getDependencyType());
  }

  private static @Nullable VerbenaStub stub(DependencyDescriptor point) {
    VerbenaStub stub = point.getAnnotation(VerbenaStub.class);
    MethodParameter parameter = point.getMethodParameter();
    if (stub != null || parameter == null) {
      return stub;
    }
    VerbenaStub ofMethod = parameter.getMethodAnnotation(VerbenaStub.class);
    return ofMethod != null || parameter.getConstructor() == null
        ? ofMethod
        : ofField(parameter, point.getDependencyName());
  }

  /** Lombok's constructors lack the annotations of the fields that they set. */
  private static @Nullable VerbenaStub ofField(MethodParameter parameter, @Nullable String name) {
    return Arrays.stream(parameter.getDeclaringClass().getDeclaredFields())
        .filter(field -> field.getName().equals(name))
        .filter(field -> field.getType() == parameter.getParameterType())
        .map(field -> field.getAnnotation(VerbenaStub.class))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }
}
