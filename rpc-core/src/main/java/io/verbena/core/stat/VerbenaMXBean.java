package io.verbena.core.stat;

import java.util.List;

/**
 * The clients and servers of this process, registered as {@value #NAME} with the platform's MBean
 * server while at least one is open. Safe for use by any thread. A call takes up to 2 s if an event
 * loop does not answer.
 */
public interface VerbenaMXBean {
  /** The name of the bean. */
  String NAME = "io.verbena:type=Verbena";

  /** Returns the open clients and servers, in the order in which they were made. */
  List<EngineStat> getEngines();
}
