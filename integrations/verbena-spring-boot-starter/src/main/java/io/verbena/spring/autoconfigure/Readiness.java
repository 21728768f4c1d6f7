package io.verbena.spring.autoconfigure;

import io.verbena.channel.Health;
import io.verbena.channel.HealthBoard;
import java.util.List;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Keeps the health board up to date with the application: it takes calls while it is ready, live
 * and not stopping. Events come from any thread.
 */
final class Readiness implements ApplicationListener<ApplicationEvent> {
  private final ApplicationContext context;
  private final HealthBoard board;
  private List<String> services = List.of();
  private boolean ready;
  private boolean broken;
  private boolean closing;

  /**
   * Begins with the first state.
   *
   * @param ready whether the application is ready before any event says so
   */
  Readiness(ApplicationContext context, HealthBoard board, boolean ready) {
    this.context = context;
    this.board = board;
    this.ready = ready;
    write();
  }

  /** Adds services, which from now on have the application's status. */
  synchronized void setServices(List<String> names) {
    services = List.copyOf(names);
    write();
  }

  @Override
  public synchronized void onApplicationEvent(ApplicationEvent event) {
    switch (event) {
      case AvailabilityChangeEvent<?> change when change.getState() instanceof ReadinessState now ->
          ready = now == ReadinessState.ACCEPTING_TRAFFIC;
      case AvailabilityChangeEvent<?> change when change.getState() instanceof LivenessState now ->
          broken = now == LivenessState.BROKEN;
      case ContextClosedEvent closed when closed.getApplicationContext() == context ->
          closing = true;
      default -> {
        return;
      }
    }
    write();
  }

  private synchronized void write() {
    Health.Status status =
        ready && !broken && !closing ? Health.Status.SERVING : Health.Status.NOT_SERVING;
    board.set("", status);
    services.forEach(service -> board.set(service, status));
  }
}
