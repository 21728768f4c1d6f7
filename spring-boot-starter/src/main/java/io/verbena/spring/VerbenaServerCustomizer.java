package io.verbena.spring;

import io.verbena.core.VerbenaServer;

/** A bean that sets the application's server up further, behind its properties; in their order. */
@FunctionalInterface
public interface VerbenaServerCustomizer {
  /** Sets what it likes, each time before the server starts. */
  void customize(VerbenaServer.Builder server);
}
