package io.verbena.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Injects a stub of another service into a field, a setter, or a parameter of a constructor or of a
 * {@code @Bean} method. The type of the stub is a contract, or the async stub generated for it.
 *
 * <pre>{@code
 * ShopService(@VerbenaStub("stock") Stock stock, @VerbenaStub("stock") StockRpc.Async later)
 * }</pre>
 *
 * <p>All stubs of one name share one channel, which the properties {@code verbena.clients.NAME.*}
 * configure. The servers need not run yet.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
@Autowired
public @interface VerbenaStub {
  /** The client's name, as in {@code verbena.clients.NAME}. Placeholders in it are resolved. */
  String value();
}
