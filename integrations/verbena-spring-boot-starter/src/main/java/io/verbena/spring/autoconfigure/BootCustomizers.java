package io.verbena.spring.autoconfigure;

import java.lang.reflect.Method;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Spring Boot's settings of gRPC's builders: its properties, service configuration, and beans that
 * customize. Boot applies them to builders of its own factories alone, by classes that are not
 * public.
 */
final class BootCustomizers {
  private static final String APPLY = "apply";

  private BootCustomizers() {}

  /**
   * Applies them.
   *
   * @param bean the name of Boot's bean
   * @param types of the arguments of its method
   */
  static void apply(BeanFactory beans, String bean, Class<?>[] types, Object... arguments) {
    Object customizers = beans.getBean(bean);
    Method method = ReflectionUtils.findMethod(customizers.getClass(), APPLY, types);
    if (method == null) {
      throw new VerbenaStartException(
          "This version of Spring Boot has no %s.%s, by which its settings of gRPC are applied"
              .formatted(customizers.getClass().getName(), APPLY),
          "Use the version of Spring Boot that this starter is for, or a later starter.");
    }
    ReflectionUtils.makeAccessible(method);
    ReflectionUtils.invokeMethod(method, customizers, arguments);
  }
}
