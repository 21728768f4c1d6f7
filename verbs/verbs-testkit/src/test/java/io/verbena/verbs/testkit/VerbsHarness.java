package io.verbena.verbs.testkit;

import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Two hosts, which may be one, for a test: how to reach them and how their time passes. Its string
 * is part of the message of a failing test, so it should say the seed or the device.
 */
public interface VerbsHarness extends AutoCloseable {
  /** Something that comes true. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  /** The end that connects. */
  VerbsProvider active();

  /** The end that accepts; may be the same. */
  VerbsProvider passive();

  /** An address of the passive host's device. */
  InetAddress address();

  /** An IPv6 address of it, of global scope, where it has one. */
  Optional<InetAddress> ipv6Address();

  /** An address in reach of the active host's device that nobody has. */
  InetAddress silentAddress();

  /** Whether memory and time are those of a real device, so that large memory is worth a test. */
  boolean isReal();

  /**
   * Returns as soon as the condition holds: steps, or polls within a limit of some seconds; fails
   * with an {@link AssertionError} naming {@code what} when it cannot come true.
   */
  void await(String what, Condition condition) throws Exception;

  /** Lets time pass, with all that happens in it, to show that something does not happen. */
  void pass(Duration time) throws Exception;

  @Override
  default void close() throws IOException {}
}
