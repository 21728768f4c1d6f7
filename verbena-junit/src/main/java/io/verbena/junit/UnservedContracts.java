package io.verbena.junit;

import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.Stubs;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/**
 * Says of a test's parameter that nobody provides that it is a contract, which is not served. Only
 * once JUnit has found nobody: another extension may provide what this one does not know.
 */
final class UnservedContracts {
  /** JUnit's words, with the parameter as Java shows it. */
  private static final Pattern NOBODY =
      Pattern.compile("No ParameterResolver registered for parameter \\[(?:final )?(\\S+) .*");

  private UnservedContracts() {}

  /** Returns what to throw for what a method of a test threw. */
  static Throwable told(Throwable thrown, List<ServiceBinding> services, ExtensionContext context) {
    Matcher nobody = NOBODY.matcher(String.valueOf(thrown.getMessage()));
    return thrown instanceof ParameterResolutionException
            && nobody.matches()
            && isContract(nobody.group(1), context)
        ? new ParameterResolutionException(message(nobody.group(1), services), thrown)
        : thrown;
  }

  private static boolean isContract(String type, ExtensionContext context) {
    try {
      ClassLoader loader = context.getRequiredTestClass().getClassLoader();
      Stubs.service(Class.forName(type, false, loader));
      return true;
    } catch (ClassNotFoundException | IllegalStateException none) {
      return false;
    }
  }

  private static String message(String type, List<ServiceBinding> services) {
    String name = type.substring(type.lastIndexOf('.') + 1);
    String served =
        services.stream()
            .map(service -> service.service().type().getSimpleName())
            .collect(Collectors.joining(", "));
    return "%s is a contract, but not among those served (%s). Add its service: VerbenaExtension.serving(…, %sRpc.bind(…))"
        .formatted(
            name.replace('$', '.'), served.isEmpty() ? "none" : served, name.replace('$', '_'));
  }
}
