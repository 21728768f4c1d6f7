package io.verbena.codegen.model;

import com.palantir.javapoet.ClassName;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import javax.lang.model.element.TypeElement;

/**
 * A contract.
 *
 * @param element the interface
 * @param type its name
 * @param generated the name of the class to write
 * @param name its name on the wire
 * @param isPublic whether the generated class is public
 * @param operations in the order of their ids
 * @param definitions every named type reached, by name
 */
public record Service(
    TypeElement element,
    ClassName type,
    ClassName generated,
    String name,
    boolean isPublic,
    List<Operation> operations,
    SortedMap<String, Definition> definitions) {

  /** Returns the definition of a named shape. */
  public Definition definition(Shape.Named shape) {
    return Objects.requireNonNull(definitions.get(shape.name()), shape.name());
  }
}
