package io.verbena.observe;

import io.verbena.api.stub.MethodDescriptor;

/**
 * The names under which calls are told, of metrics and of their attributes. Those that begin with
 * {@code rpc}, {@code error}, {@code server} and {@code network} are OpenTelemetry's semantic
 * conventions, version 1.45; the others are Verbena's own.
 */
public final class Conventions {
  /** How long a call took at its caller, with all attempts; a histogram, in seconds. */
  public static final String CLIENT_DURATION = "rpc.client.call.duration";

  /** How long a call took at its handler; a histogram, in seconds. */
  public static final String SERVER_DURATION = "rpc.server.call.duration";

  /** By which RPC system: always {@link #VERBENA}. */
  public static final String SYSTEM = "rpc.system.name";

  /** The value of {@link #SYSTEM}. */
  public static final String VERBENA = "verbena";

  /** The method, as {@code service/method}. */
  public static final String METHOD = "rpc.method";

  /** {@link Outcome#status}. */
  public static final String STATUS = "rpc.status_code";

  /** {@link Outcome#errorType}; of calls that failed. */
  public static final String ERROR_TYPE = "error.type";

  /** The host that the caller was told to call. */
  public static final String SERVER_ADDRESS = "server.address";

  /** Its port. */
  public static final String SERVER_PORT = "server.port";

  /** The host of the other end. */
  public static final String PEER_ADDRESS = "network.peer.address";

  /** Its port. */
  public static final String PEER_PORT = "network.peer.port";

  /** Which kind of link carried the session's calls when this one ended: rdma, tcp, mem, none. */
  public static final String PATH = "verbena.path";

  /** What is certain about the call's execution: {@link io.verbena.api.Execution}'s name. */
  public static final String EXECUTION = "verbena.execution";

  /**
   * Which attempt of a channel's at the call a span is of, from 2; the first one has none. The
   * conventions have a count of attempts for HTTP alone.
   */
  public static final String ATTEMPT = "verbena.attempt";

  /** The name that a channel's metrics were given. */
  public static final String CHANNEL = "verbena.channel";

  /** Whether calls go to a channel's server: ready, ejected, out. */
  public static final String ENDPOINT = "verbena.endpoint";

  /** What channels ask their servers again and again is measured, and in no trace and no log. */
  private static final String HEALTH = "verbena.health.v1";

  private Conventions() {}

  /** Returns whether calls of a method are told one by one, by spans and log lines. */
  public static boolean isTold(MethodDescriptor<?> method) {
    return !method.service().equals(HEALTH);
  }
}
