package io.verbena.spring;

import io.verbena.core.VerbenaServer;

/**
 * A bean that adjusts the application's server after its properties have been applied. Several of
 * them run in the order of the beans.
 */
@FunctionalInterface
public interface VerbenaServerCustomizer {
  /** Adjusts the builder, each time before the server starts. */
  void customize(VerbenaServer.Builder server);
}
