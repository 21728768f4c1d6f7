package io.verbena.spring.autoconfigure;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.grpc.VerbenaServerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.grpc.server.GrpcServerFactory;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.grpc.server.lifecycle.GrpcServerStartedEvent;

/**
 * The services of gRPC, at the port of Verbena's server. As a factory of servers it takes the place
 * of Spring Boot's; {@link VerbenaServerLifecycle} starts and stops it.
 */
final class SpringGrpcServer implements GrpcServerFactory, CarriedServer {
  private static final String CUSTOMIZERS = "grpcServerBuilderCustomizers";
  private static final Duration TO_CANCEL = Duration.ofSeconds(5);

  private final BeanFactory beans;
  private final SessionLimits limits;
  private final ApplicationEventPublisher events;
  private final List<ServerServiceDefinition> services = new ArrayList<>();
  private @Nullable Server server;

  SpringGrpcServer(BeanFactory beans, SessionLimits limits, ApplicationEventPublisher events) {
    this.beans = beans;
    this.limits = limits;
    this.events = events;
  }

  @Override
  public void addService(ServerServiceDefinition service) {
    services.add(service);
  }

  @Override
  public List<String> services() {
    return services.stream().map(one -> one.getServiceDescriptor().getName()).toList();
  }

  /** Is not called: there is no {@link GrpcServerLifecycle} that starts. */
  @Override
  public Server createServer() {
    return Objects.requireNonNull(server, "Verbena's server has not started");
  }

  @Override
  public VerbenaServer start(String address, Consumer<VerbenaServer.Builder> settings) {
    AtomicReference<VerbenaServer> engine = new AtomicReference<>();
    VerbenaServerBuilder builder =
        VerbenaServerBuilder.forAddress(address)
            .limits(limits)
            .engine(settings)
            .onStart(engine::set);
    services.forEach(builder::addService);
    BootCustomizers.apply(beans, CUSTOMIZERS, new Class<?>[] {ServerBuilder.class}, builder);
    try {
      Server begun = builder.build().start();
      server = begun;
      events.publishEvent(
          new GrpcServerStartedEvent(
              new GrpcServerLifecycle(this, TO_CANCEL, events), begun, address, begun.getPort()));
      return Objects.requireNonNull(engine.get());
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Override
  public void stop(Duration drainTime) {
    Server running = server;
    if (running == null) {
      return;
    }
    try {
      if (!running.shutdown().awaitTermination(drainTime.toMillis(), TimeUnit.MILLISECONDS)) {
        boolean _ =
            running.shutdownNow().awaitTermination(TO_CANCEL.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Server _ = running.shutdownNow();
      Thread.currentThread().interrupt();
    }
    server = null;
  }
}
