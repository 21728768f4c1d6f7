package io.verbena.codegen;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/**
 * Collects the errors of one contract. An error that is found in two ways is reported once. All
 * errors are reported before the processor gives up on the contract.
 */
public final class Reporter {
  private record Problem(
      Element element,
      @Nullable AnnotationMirror annotation,
      @Nullable String value,
      Diagnostic.Kind kind,
      String text) {}

  private final Set<Problem> problems = new LinkedHashSet<>();

  /** Reports a message at an element. */
  public void error(Element element, RpcDiagnostic message, Object... arguments) {
    problems.add(new Problem(element, null, null, message.kind(), message.format(arguments)));
  }

  /**
   * Reports a message at a member of an element's annotation, or at the element if that member is
   * not set.
   */
  public void errorAt(
      Element element,
      Class<?> annotation,
      String member,
      RpcDiagnostic message,
      Object... arguments) {
    AnnotationMirror mirror =
        element.getAnnotationMirrors().stream()
            .filter(m -> m.getAnnotationType().toString().equals(annotation.getName()))
            .findFirst()
            .orElse(null);
    problems.add(new Problem(element, mirror, member, message.kind(), message.format(arguments)));
  }

  /** Returns whether nothing has been reported. */
  public boolean isClean() {
    return problems.isEmpty();
  }

  /** Passes all errors to javac. */
  public void flush(Messager messager) {
    for (Problem problem : problems) {
      AnnotationMirror mirror = problem.annotation;
      if (mirror == null) {
        messager.printMessage(problem.kind, problem.text, problem.element);
        continue;
      }
      mirror.getElementValues().entrySet().stream()
          .filter(entry -> Objects.equals(entry.getKey().getSimpleName().toString(), problem.value))
          .findFirst()
          .ifPresentOrElse(
              entry ->
                  messager.printMessage(
                      problem.kind, problem.text, problem.element, mirror, entry.getValue()),
              () -> messager.printMessage(problem.kind, problem.text, problem.element, mirror));
    }
  }
}
