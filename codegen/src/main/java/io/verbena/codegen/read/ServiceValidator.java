package io.verbena.codegen.read;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Bulk;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.lang.model.type.TypeKind;

/** Checks rules that need the whole contract, and the annotations' values. */
public final class ServiceValidator {
  private final Reporter reporter;

  /** Makes a validator that reports to this reporter. */
  public ServiceValidator(Reporter reporter) {
    this.reporter = reporter;
  }

  /** Reports all errors. */
  public void validate(Service service) {
    if (service.name().isBlank()) {
      String example = service.type().simpleName().toLowerCase(Locale.ROOT);
      reporter.errorAt(
          service.element(), RpcService.class, "name", RpcDiagnostic.EMPTY_SERVICE_NAME, example);
    }
    if (service.operations().isEmpty() && reporter.isClean()) {
      reporter.error(service.element(), RpcDiagnostic.NO_METHODS, service.type().simpleName());
    }
    validateIds(service.operations());
    service.operations().forEach(this::validate);
  }

  private void validateIds(List<Operation> operations) {
    int free = 1 + operations.stream().mapToInt(Operation::id).max().orElse(0);
    Map<Integer, String> used = new HashMap<>();
    for (Operation operation : operations) {
      String other = used.putIfAbsent(operation.id(), operation.name());
      if (operation.id() <= 0) {
        report(operation, "id", RpcDiagnostic.ID_NOT_POSITIVE, operation.id(), Math.max(free, 1));
      } else if (other != null) {
        report(operation, "id", RpcDiagnostic.DUPLICATE_ID, operation.id(), other, free);
      }
    }
  }

  private void validate(Operation operation) {
    String timeout = operation.element().getAnnotation(RpcMethod.class).timeout();
    if (operation.timeoutNanos() == Timeouts.MALFORMED) {
      report(operation, "timeout", RpcDiagnostic.BAD_TIMEOUT, timeout);
    }
    validateLanding(operation);
    validateStreams(operation);
    if (!operation.oneway()) {
      return;
    }
    if (operation.element().getReturnType().getKind() != TypeKind.VOID) {
      report(
          operation,
          "oneway",
          RpcDiagnostic.ONEWAY_RESULT,
          operation.name(),
          operation.element().getReturnType());
    }
    if (!operation.errors().isEmpty()) {
      report(operation, "oneway", RpcDiagnostic.ONEWAY_ERRORS, operation.name());
    }
  }

  private void validateLanding(Operation operation) {
    long landings = operation.arguments().stream().filter(a -> a.shape() == Bulk.LANDING).count();
    boolean received = operation.result() == Bulk.RECEIVED;
    if (landings > 1) {
      reporter.error(operation.element(), RpcDiagnostic.LANDING_TWICE, operation.name());
    } else if (landings == 1 && !received) {
      reporter.error(operation.element(), RpcDiagnostic.LANDING_WITHOUT_RECEIVED, operation.name());
    } else if (landings == 0 && received) {
      reporter.error(operation.element(), RpcDiagnostic.RECEIVED_WITHOUT_LANDING, operation.name());
    }
  }

  private void validateStreams(Operation operation) {
    if (!operation.streaming()) {
      return;
    }
    List<Operation.Argument> arguments = operation.arguments();
    long streams = arguments.stream().filter(a -> a.shape() instanceof Shape.Stream).count();
    if (streams > 1) {
      reporter.error(operation.element(), RpcDiagnostic.STREAM_TWICE, operation.name());
    } else if (streams == 1 && !(arguments.getLast().shape() instanceof Shape.Stream)) {
      reporter.error(operation.element(), RpcDiagnostic.STREAM_NOT_LAST, operation.name());
    }
    if (operation.landing() != null) {
      reporter.error(operation.element(), RpcDiagnostic.STREAM_WITH_LANDING, operation.name());
    }
    if (operation.oneway()) {
      report(operation, "oneway", RpcDiagnostic.STREAM_ONEWAY, operation.name());
    }
  }

  private void report(
      Operation operation, String member, RpcDiagnostic message, Object... arguments) {
    reporter.errorAt(operation.element(), RpcMethod.class, member, message, arguments);
  }
}
