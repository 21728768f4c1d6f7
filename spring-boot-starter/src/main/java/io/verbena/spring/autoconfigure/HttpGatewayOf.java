package io.verbena.spring.autoconfigure;

import io.verbena.core.Gateway;
import io.verbena.http.HttpGateway;
import io.verbena.http.HttpSettings;
import io.verbena.spring.VerbenaProperties.Http;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Makes the server's HTTP gateway from properties. */
final class HttpGatewayOf {
  private static final String GATEWAY = "io.verbena.http.HttpGateway";

  private HttpGatewayOf() {}

  /** Returns null if HTTP is not enabled. */
  static @Nullable Gateway properties(Http set) {
    if (!set.enabled()) {
      return null;
    }
    if (!ClassUtils.isPresent(GATEWAY, null)) {
      throw new VerbenaStartException(
          "verbena.server.http.enabled is set, but the HTTP gateway is not on the class path",
          "Add io.verbena:http-gateway, or remove the property.");
    }
    return Made.of(set);
  }

  /** Loaded only if the class path has the gateway. */
  private static final class Made {
    static Gateway of(Http set) {
      HttpSettings known = HttpSettings.DEFAULT;
      return new HttpGateway(
          new HttpSettings(
              EndSetup.bytes("maxRequestBytes", set.maxRequest(), known.maxRequestBytes()),
              EndSetup.bytes("maxResponseBytes", set.maxResponse(), known.maxResponseBytes()),
              set.requestMemory() == null
                  ? known.requestMemoryBytes()
                  : set.requestMemory().toBytes(),
              EndSetup.or(set.requestTime(), known.requestTime()),
              EndSetup.or(set.idleTime(), known.idleTime()),
              set.hosts(),
              set.page()));
    }
  }
}
