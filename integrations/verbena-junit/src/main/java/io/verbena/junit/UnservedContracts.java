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
 * Explains a missing test parameter: the parameter is a contract that is not served. This applies
 * only after JUnit has found no provider, because another extension may provide a type that this
 * one does not know.
 */
final class UnservedContracts {
  /** JUnit's message, with the parameter as Java source. */
  private static final Pattern NOBODY =
      Pattern.compile("No ParameterResolver registered for parameter \\[(?:final )?(\\S+) .*");

  private UnservedContracts() {}

  /** Returns the exception to throw for one that a test's method threw. */
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
