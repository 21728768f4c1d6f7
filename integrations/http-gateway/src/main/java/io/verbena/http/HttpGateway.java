package io.verbena.http;

import io.netty.channel.socket.SocketChannel;
import io.verbena.api.settings.Checks;
import io.verbena.codec.json.Json;
import io.verbena.core.Gateway;
import io.verbena.core.LocalSessions;
import io.verbena.link.PortProtocol;
import io.verbena.link.memory.Quota;
import io.verbena.link.runtime.Thrown;
import io.verbena.tcp.TcpProtocol;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes the services of a server callable by HTTP and JSON, at the server's port. One gateway
 * serves one server.
 *
 * <pre>{@code
 * VerbenaServer.builder().listen("0.0.0.0:7400").gateway(new HttpGateway()).serve(…).start();
 * }</pre>
 *
 * <p>Then {@code curl -d '{"key":"a"}' localhost:7400/store.v1/get} calls a method, {@code GET /}
 * is a page that shows and calls the services, and {@code GET /openapi.json} describes them.
 */
public final class HttpGateway implements Gateway {
  /** The time that unfinished answers have when the server closes. */
  private static final long LAST_WORDS_SECONDS = 5;

  /** A body takes several times its bytes: as text, as a JSON tree, as arguments. */
  private static final int TIMES_ITS_BYTES = 16;

  private final HttpSettings settings;
  private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();

  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("verbena-http-", 0).factory());

  /** The memory for the bodies of requests that are read or answered. */
  private final Quota memory;

  private @Nullable Contracts contracts;
  private volatile @Nullable Hosts hosts;
  private volatile boolean draining;
  private volatile boolean closed;

  /** Makes a gateway with the defaults. */
  public HttpGateway() {
    this(HttpSettings.DEFAULT);
  }

  /** Makes a gateway with settings. */
  public HttpGateway(HttpSettings settings) {
    this.settings = Checks.required("settings", settings);
    // Half of the memory is lent to any connection. The longest body fits in there, however many
    // connections there are.
    long least = 2 * taken(settings.maxRequestBytes());
    this.memory = new Quota(Math.max(settings.requestMemoryBytes(), least), 0);
  }

  @Override
  public synchronized PortProtocol start(LocalSessions sessions) {
    if (contracts != null) {
      throw new IllegalStateException("a gateway serves one server; make one for each");
    }
    requireLibraries();
    Contracts of = new Contracts(sessions);
    contracts = of;
    if (!sessions.authenticates() || !settings.hosts().isEmpty()) {
      hosts = new Hosts(settings.hosts(), sessions.address());
    }
    return new TcpProtocol() {
      @Override
      public boolean beginsWith(byte first) {
        // The first of a method, an empty line before it, or the PROXY protocol.
        return (first & 0xff) > ' ' || first == '\r' || first == '\n';
      }

      @Override
      public void accept(
          SocketChannel channel, String peer, List<X509Certificate> certificates, Executor loop) {
        new HttpConnection(HttpGateway.this, of, channel, peer, certificates, loop).open();
      }
    };
  }

  /** Or each connection would end without an answer. */
  private static void requireLibraries() {
    try {
      HttpConnection.requireCodec();
      Object _ = Json.parse("{}");
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "the gateway to HTTP lacks a library, or has it in a version that does not fit: "
              + Thrown.words(e)
              + ". It needs io.netty:netty-codec-http and netty-codec-haproxy in the version of Netty's other jars,"
              + " io.verbena:codec-json, com.fasterxml.jackson.core:jackson-databind, and what"
              + " these need: depend on io.verbena:http-gateway, and exclude nothing of that",
          e);
    }
  }

  HttpSettings settings() {
    return settings;
  }

  /** Returns the names that requests may use; null for any. */
  @Nullable Hosts hosts() {
    return hosts;
  }

  /** Returns whether load balancers should send requests. */
  boolean isServing() {
    return !draining && settings.health().getAsBoolean();
  }

  /** Returns whether connections must end after their present answer. */
  boolean isDraining() {
    return draining;
  }

  /** Runs each exchange on a thread of its own. */
  Executor threads() {
    return threads;
  }

  /** Returns the memory that so many bytes of a body take, with all that is made of them. */
  static long taken(int bytes) {
    return (long) TIMES_ITS_BYTES * bytes;
  }

  /** Returns the memory that connections share, each with a part of its own. */
  Quota memory() {
    return memory;
  }

  /** Counts a connection; returns false if there are too many. On its loop. */
  boolean opened(HttpConnection connection, int most) {
    connections.add(connection);
    if (closed) {
      connection.closeAfterAnswer();
    }
    return connections.size() <= most;
  }

  /** Removes a connection that has ended, and whose thread has ended. */
  void ended(HttpConnection connection) {
    if (connections.remove(connection) && closed) {
      synchronized (connections) {
        connections.notifyAll();
      }
    }
  }

  @Override
  public void drain() {
    draining = true;
    connections.forEach(HttpConnection::closeIfIdle);
  }

  @Override
  public void close() {
    draining = true;
    closed = true;
    connections.forEach(HttpConnection::closeAfterAnswer);
    try {
      awaitLastWords();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.forEach(HttpConnection::abort);
    threads.shutdownNow();
  }

  private void awaitLastWords() throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LAST_WORDS_SECONDS);
    synchronized (connections) {
      long left;
      while (!connections.isEmpty() && (left = until - System.nanoTime()) > 0) {
        TimeUnit.NANOSECONDS.timedWait(connections, left);
      }
    }
  }
}
