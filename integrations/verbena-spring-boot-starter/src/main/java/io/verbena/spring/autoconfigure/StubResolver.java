package io.verbena.spring.autoconfigure;

import io.verbena.spring.VerbenaStub;
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
  private final ObjectProvider<Channels> channels;

  StubResolver(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    this.channels = beans.getBeanProvider(Channels.class);
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
    return stub == null && parameter != null
        ? parameter.getMethodAnnotation(VerbenaStub.class)
        : stub;
  }
}
