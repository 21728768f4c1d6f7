package io.verbena.spring.autoconfigure;

import org.springframework.core.Ordered;

/** Observers stand before interceptors that may refuse a call. */
final class ObserverOrder {
  static final int TELEMETRY = Ordered.HIGHEST_PRECEDENCE;
  static final int METRICS = Ordered.HIGHEST_PRECEDENCE + 1;
  static final int ACCESS_LOG = Ordered.HIGHEST_PRECEDENCE + 2;

  private ObserverOrder() {}
}
