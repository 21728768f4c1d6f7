package io.verbena.spring;

import io.verbena.core.VerbenaClient;

/**
 * A bean that adjusts the application's client after its properties have been applied. Several of
 * them run in the order of the beans. The client makes the sessions of every channel.
 */
@FunctionalInterface
public interface VerbenaClientCustomizer {
  /** Adjusts the builder, before the client is made. */
  void customize(VerbenaClient.Builder client);
}
