package io.verbena.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Has a stub of another service injected: into a field, a setter, or a parameter of a constructor
 * or of a {@code @Bean} method. Its type is a contract, or the async stub that is generated for it.
 *
 * <pre>{@code
 * ShopService(@VerbenaStub("stock") Stock stock, @VerbenaStub("stock") StockRpc.Async later)
 * }</pre>
 *
 * <p>All stubs of one name share one channel, which the properties {@code verbena.clients.NAME.*}
 * set up. The servers need not be there yet.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
@Autowired
public @interface VerbenaStub {
  /** The client's name, as in {@code verbena.clients.NAME}; placeholders are replaced. */
  String value();
}
