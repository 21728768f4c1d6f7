package io.verbena.spring.autoconfigure;

import io.verbena.core.Gateway;
import io.verbena.http.HttpGateway;
import io.verbena.http.HttpSettings;
import io.verbena.spring.VerbenaProperties.Http;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Makes the server's HTTP gateway from properties. */
final class HttpGatewayOf {
  private static final String GATEWAY = "io.verbena.http.HttpGateway";

  private HttpGatewayOf() {}

  /** Returns null if HTTP is not enabled. */
  static @Nullable Gateway properties(Http set, BooleanSupplier serving) {
    if (!set.enabled()) {
      return null;
    }
    if (!ClassUtils.isPresent(GATEWAY, null)) {
      throw new VerbenaStartException(
          "verbena.server.http.enabled is set, but the HTTP gateway is not on the class path",
          "Add io.verbena:http-gateway, or remove the property.");
    }
    return Made.of(set, serving);
  }

  /** Loaded only if the class path has the gateway. */
  private static final class Made {
    static Gateway of(Http set, BooleanSupplier serving) {
      HttpSettings known = HttpSettings.DEFAULT;
      HttpSettings settings =
          known
              .withMaxRequestBytes(
                  EndSetup.bytes("maxRequestBytes", set.maxRequest(), known.maxRequestBytes()))
              .withMaxResponseBytes(
                  EndSetup.bytes("maxResponseBytes", set.maxResponse(), known.maxResponseBytes()))
              .withRequestMemoryBytes(
                  set.requestMemory() == null
                      ? known.requestMemoryBytes()
                      : set.requestMemory().toBytes())
              .withRequestTime(EndSetup.or(set.requestTime(), known.requestTime()))
              .withIdleTime(EndSetup.or(set.idleTime(), known.idleTime()))
              .withHosts(set.hosts())
              .withOrigins(set.origins())
              .withHealth(serving);
      if (set.longsAsText()) {
        settings = settings.withLongsAsText();
      }
      if (set.proxyProtocol()) {
        settings = settings.withProxyProtocol();
      }
      return new HttpGateway(set.page() ? settings : settings.withoutPage());
    }
  }
}
