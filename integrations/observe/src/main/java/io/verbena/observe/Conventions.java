package io.verbena.observe;

import io.verbena.api.stub.MethodDescriptor;

/**
 * The names of metrics, and of attributes of metrics, spans and logs. Names that begin with {@code
 * rpc}, {@code error}, {@code server} and {@code network} are those of OpenTelemetry's semantic
 * conventions, version 1.45. The others are Verbena's own.
 */
public final class Conventions {
  /** The time of a call at its caller, with all attempts: a histogram, in seconds. */
  public static final String CLIENT_DURATION = "rpc.client.call.duration";

  /** The time of a call at its handler: a histogram, in seconds. */
  public static final String SERVER_DURATION = "rpc.server.call.duration";

  /** The RPC system: always {@link #VERBENA}. */
  public static final String SYSTEM = "rpc.system.name";

  /** The value of {@link #SYSTEM}. */
  public static final String VERBENA = "verbena";

  /** The method, as {@code service/method}. */
  public static final String METHOD = "rpc.method";

  /** {@link Outcome#status}. */
  public static final String STATUS = "rpc.status_code";

  /** {@link Outcome#errorType}, for calls that failed. */
  public static final String ERROR_TYPE = "error.type";

  /** The host of the address that was called. */
  public static final String SERVER_ADDRESS = "server.address";

  /** The port of the address that was called. */
  public static final String SERVER_PORT = "server.port";

  /** The host of the other end. */
  public static final String PEER_ADDRESS = "network.peer.address";

  /** The port of the other end. */
  public static final String PEER_PORT = "network.peer.port";

  /**
   * The kind of link that carried the session's calls when this call ended: rdma, shm, tcp, mem or
   * none.
   */
  public static final String PATH = "verbena.path";

  /** The name of the {@link io.verbena.api.Execution}: whether the call was executed. */
  public static final String EXECUTION = "verbena.execution";

  /**
   * The number of a channel's attempt, as an attribute of its span, from 2. The first attempt has
   * none. OpenTelemetry's conventions have such a count for HTTP alone.
   */
  public static final String ATTEMPT = "verbena.attempt";

  /** The name that the metrics of a channel were given. */
  public static final String CHANNEL = "verbena.channel";

  /** Whether calls go to a server of a channel: ready, ejected or out. */
  public static final String ENDPOINT = "verbena.endpoint";

  /** Repeated health checks of channels are measured, but not traced or logged. */
  private static final String HEALTH = "verbena.health.v1";

  private Conventions() {}

  /** Returns whether calls of a method have spans and log lines of their own. */
  public static boolean isTold(MethodDescriptor<?> method) {
    return !method.service().equals(HEALTH);
  }
}
