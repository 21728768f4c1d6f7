package io.verbena.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Marks a bean that the application's server serves. It stands at a class, which it makes a
 * component, or at a {@code @Bean} method. The bean implements one contract or several, which are
 * interfaces with {@link io.verbena.api.RpcService}; it may be a proxy.
 *
 * <pre>{@code
 * @VerbenaService
 * class ShelfStock implements Stock {
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Component
public @interface VerbenaService {
  /** The contracts to serve. Default: each that the bean implements. */
  Class<?>[] contracts() default {};
}
