package io.verbena.core.stat;

import java.util.List;

/**
 * This process's clients and servers, registered as {@value #NAME} with the platform's MBean server
 * when the first of them is made. Safe for use by any thread; asking takes 2 s where an event loop
 * does not answer.
 */
public interface VerbenaMXBean {
  /** The name it is registered by. */
  String NAME = "io.verbena:type=Verbena";

  /** Returns every client and server that is open, in the order they were made. */
  List<EngineStat> getEngines();
}
