package io.verbena.spring;

import io.verbena.core.VerbenaClient;

/**
 * A bean that sets the application's client up further, behind its properties; in their order. The
 * client makes the sessions of every channel.
 */
@FunctionalInterface
public interface VerbenaClientCustomizer {
  /** Sets what it likes, before the client is made. */
  void customize(VerbenaClient.Builder client);
}
