package io.verbena.codegen.model;

import com.palantir.javapoet.TypeName;
import java.util.List;
import javax.lang.model.element.ExecutableElement;
import org.jspecify.annotations.Nullable;

/**
 * One method of a contract.
 *
 * @param element the place to report its errors at
 * @param timeoutNanos 0 for none
 * @param result null for {@code void}
 * @param errors the declared exceptions that cross the wire, in order
 * @param catchOrder the names of all declared exceptions, each before its superclasses
 * @param unsent declared exceptions that are thrown only on this side
 * @param javadoc empty for none
 */
public record Operation(
    ExecutableElement element,
    int id,
    String name,
    boolean idempotent,
    boolean oneway,
    boolean nonBlocking,
    long timeoutNanos,
    List<Argument> arguments,
    @Nullable Shape result,
    List<Shape.Named> errors,
    List<String> catchOrder,
    List<TypeName> unsent,
    String javadoc) {

  /** Returns the declared exceptions that cross the wire, each before its superclasses. */
  public List<Shape.Named> errorsToCatch() {
    return catchOrder.stream()
        .flatMap(name -> errors.stream().filter(error -> error.name().equals(name)))
        .toList();
  }

  /** Returns the parameter with the place for the result; null if there is none. */
  public @Nullable Argument landing() {
    return arguments.stream().filter(a -> a.shape() == Bulk.LANDING).findFirst().orElse(null);
  }

  /** Returns whether an argument or the result is a stream. */
  public boolean streaming() {
    return result instanceof Shape.Stream
        || arguments.stream().anyMatch(a -> a.shape() instanceof Shape.Stream);
  }

  /** One parameter. */
  public record Argument(String name, Shape shape) {}
}
