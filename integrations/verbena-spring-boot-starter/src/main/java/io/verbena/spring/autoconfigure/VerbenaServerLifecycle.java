package io.verbena.spring.autoconfigure;

import io.verbena.api.stub.ServiceBinding;
import io.verbena.channel.HealthBoard;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaServer;
import io.verbena.spring.VerbenaProperties;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * The life cycle of the application's server. It starts last, after all other beans, and drains
 * first, while they still run. Without a bean to serve there is no server. Services of gRPC are
 * served at its port, too. Safe for use by any thread.
 */
public final class VerbenaServerLifecycle implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaServerLifecycle.class);

  private final VerbenaProperties.Server settings;
  private final ListableBeanFactory beans;
  private final HealthBoard board;
  private final Readiness readiness;
  private final ObjectProvider<CarriedServer> carried;
  private final OpenSessions sessions = new OpenSessions();
  private volatile @Nullable VerbenaServer server;
  private volatile boolean draining;

  /** Where it listened before it was stopped; a free port is kept, for those that know it. */
  private @Nullable URI before;

  VerbenaServerLifecycle(
      VerbenaProperties.Server settings,
      ListableBeanFactory beans,
      HealthBoard board,
      Readiness readiness,
      ObjectProvider<CarriedServer> carried) {
    this.settings = settings;
    this.beans = beans;
    this.board = board;
    this.readiness = readiness;
    this.carried = carried;
  }

  /** Returns the server while it runs, for its address and for publishing objects. */
  public Optional<VerbenaServer> server() {
    return Optional.ofNullable(server);
  }

  /** Returns whether the server drains: it takes no new calls, and waits for those that run. */
  boolean isDraining() {
    return draining;
  }

  OpenSessions sessions() {
    return sessions;
  }

  @Override
  public void start() {
    List<ServiceBinding> served = ServedBeans.bound(beans);
    CarriedServer grpc = carried.getIfAvailable();
    if (served.isEmpty() && grpc == null) {
      LOG.debug("There is no bean with @VerbenaService, so no server is started");
      return;
    }
    List<ServiceBinding> all = new ArrayList<>(served);
    List<String> names = served.stream().map(binding -> binding.service().name()).toList();
    if (settings.health() && !names.contains(HealthRpc.SERVICE.name())) {
      all.add(HealthRpc.bind(board));
    }
    readiness.setServices(names);
    VerbenaServer started = startedAgain(all);
    draining = false;
    server = started;
    before = started.address();
    keepProcess(started);
    List<String> told = new ArrayList<>(names);
    if (grpc != null) {
      told.addAll(grpc.services());
    }
    LOG.info("Verbena serves {} at {}", String.join(", ", told), started.address());
  }

  private VerbenaServer startedAgain(List<ServiceBinding> bindings) {
    URI known = before;
    if (known == null || !settings.listen().strip().endsWith(":0")) {
      return started(bindings, settings.listen());
    }
    try {
      return started(bindings, known.toString());
    } catch (VerbenaStartException e) {
      LOG.info("Verbena's server gets another port than before: {}", e.getMessage());
      return started(bindings, settings.listen());
    }
  }

  private VerbenaServer started(List<ServiceBinding> bindings, String address) {
    try {
      CarriedServer grpc = carried.getIfAvailable();
      if (grpc != null) {
        return grpc.start(address, builder -> apply(bindings, builder));
      }
      VerbenaServer.Builder builder = VerbenaServer.builder().listen(address);
      apply(bindings, builder);
      return builder.start();
    } catch (IllegalArgumentException e) {
      throw new VerbenaStartException(
          "Verbena's server cannot be set up: " + e.getMessage(),
          "Correct verbena.server.*. The message above names the setting, such as"
              + " verbena.server.limits.max-calls for maxCalls.",
          e);
    } catch (IllegalStateException e) {
      throw new VerbenaStartException(
          "Verbena's server cannot be started at %s: %s".formatted(address, e.getMessage()),
          "Set verbena.server.listen to another address, such as 0.0.0.0:7401, or correct the error"
              + " above.",
          e);
    }
  }

  private void apply(List<ServiceBinding> bindings, VerbenaServer.Builder builder) {
    EndSetup.apply(settings, beans, builder);
    builder.sessionListener(sessions.listener());
    bindings.forEach(builder::serve);
  }

  /**
   * Keeps the process alive. Event loops are daemon threads, and without a web server no other
   * thread would.
   */
  private static void keepProcess(VerbenaServer started) {
    Thread.ofPlatform()
        .name("verbena-await")
        .daemon(false)
        .start(
            () -> {
              try {
                started.awaitClose();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  @Override
  public void stop(Runnable done) {
    Thread.ofPlatform()
        .name("verbena-drain")
        .start(
            () -> {
              try {
                stop();
              } finally {
                done.run();
              }
            });
  }

  @Override
  public void stop() {
    VerbenaServer running = server;
    if (running != null) {
      draining = true;
      LOG.info("Verbena's server at {} waits for its calls to end", running.address());
      carried.ifAvailable(grpc -> grpc.stop(settings.drainTime()));
      running.close();
      server = null;
    }
  }

  @Override
  public boolean isRunning() {
    return server != null;
  }

  /** After the web server at the start, and before it at the end. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
