package io.verbena.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Marks a bean that the application's server serves: a class, which is a component by it, or a
 * {@code @Bean} method. The bean implements one contract or several, interfaces with {@link
 * io.verbena.api.RpcService}; it may be a proxy.
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
  /** Which contracts it is served for. Default: each that it implements. */
  Class<?>[] contracts() default {};
}
