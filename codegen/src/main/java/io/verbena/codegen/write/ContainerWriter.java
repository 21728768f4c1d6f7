package io.verbena.codegen.write;

import com.palantir.javapoet.CodeBlock;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the code for containers. Containers that were read are unmodifiable and keep their order.
 * A container starts small whatever its count is, so that nested ones cannot add up.
 */
final class ContainerWriter {
  /** The capacity before the first element has been read. */
  private static final CodeBlock PRESIZED = CodeBlock.of("$T.min(count, 1024)", Math.class);

  private static final CodeBlock OUT = CodeBlock.of("out");
  private static final CodeBlock IN = CodeBlock.of("in");

  private final GeneratedNames names;

  ContainerWriter(GeneratedNames names) {
    this.names = names;
  }

  CodeBlock write(Shape shape) {
    return switch (shape) {
      case Shape.OrNull orNull ->
          CodeBlock.builder()
              .addStatement("out.writeBoolean(value != null)")
              .beginControlFlow("if (value != null)")
              .addStatement("$L", names.write(orNull.value(), OUT, CodeBlock.of("value"), true))
              .endControlFlow()
              .build();
      case Shape.Maybe maybe ->
          CodeBlock.builder()
              .addStatement("out.writeBoolean(value.isPresent())")
              .beginControlFlow("if (value.isPresent())")
              .addStatement(
                  "$L", names.write(maybe.value(), OUT, CodeBlock.of("value.get()"), true))
              .endControlFlow()
              .build();
      case Shape.Array array -> writeElements(array, array.element(), "value.length");
      case Shape.Sequence sequence -> writeElements(sequence, sequence.element(), "value.size()");
      case Shape.Mapping mapping -> writeEntries(mapping);
      case Shape.Stream stream ->
          CodeBlock.builder()
              .addStatement(
                  "out.writeStream(value, (to, item) -> $L)",
                  names.write(stream.element(), CodeBlock.of("to"), CodeBlock.of("item"), true))
              .build();
      case Shape.Leaf leaf -> throw new IllegalArgumentException(leaf + " takes one call");
      case Shape.Named named -> throw new IllegalArgumentException(named + " has a definition");
    };
  }

  private CodeBlock writeElements(Shape shape, Shape element, String size) {
    return CodeBlock.builder()
        .addStatement("out.writeCount($L)", size)
        .beginControlFlow("for ($T element : value)", element.java())
        .addStatement("$L", names.write(element, OUT, checked(element, "element", shape), true))
        .endControlFlow()
        .build();
  }

  private CodeBlock writeEntries(Shape.Mapping mapping) {
    CodeBlock key = checked(mapping.key(), "entry.getKey()", mapping);
    CodeBlock value = checked(mapping.value(), "entry.getValue()", mapping);
    return CodeBlock.builder()
        .addStatement("out.writeCount(value.size())")
        .beginControlFlow(
            "for ($T.Entry<$T, $T> entry : value.entrySet())",
            Map.class,
            mapping.key().java(),
            mapping.value().java())
        .addStatement("$L", names.write(mapping.key(), OUT, key, true))
        .addStatement("$L", names.write(mapping.value(), OUT, value, true))
        .endControlFlow()
        .build();
  }

  private static CodeBlock checked(Shape part, String expression, Shape whole) {
    return Values.checked(part, CodeBlock.of("$L", expression), "null in " + whole.name());
  }

  CodeBlock read(Shape shape) {
    return switch (shape) {
      case Shape.OrNull orNull ->
          CodeBlock.builder()
              .addStatement(
                  "return in.readBoolean() ? $L : null", names.read(orNull.value(), IN, true))
              .build();
      case Shape.Maybe maybe ->
          CodeBlock.builder()
              .addStatement(
                  "return in.readBoolean() ? $T.of($L) : $T.empty()",
                  Optional.class,
                  names.read(maybe.value(), IN, true),
                  Optional.class)
              .build();
      case Shape.Array array ->
          array.element().java().isPrimitive() ? readPrimitives(array) : readArray(array);
      case Shape.Sequence sequence -> readSequence(sequence);
      case Shape.Mapping mapping -> readMapping(mapping);
      case Shape.Stream stream ->
          CodeBlock.builder()
              .addStatement(
                  "return in.readStream(from -> $L)",
                  names.read(stream.element(), CodeBlock.of("from"), true))
              .build();
      case Shape.Leaf leaf -> throw new IllegalArgumentException(leaf + " takes one call");
      case Shape.Named named -> throw new IllegalArgumentException(named + " has a definition");
    };
  }

  /** All bytes of the elements are there, so the array may be allocated at once. */
  private CodeBlock readPrimitives(Shape.Array array) {
    Shape element = array.element();
    return CodeBlock.builder()
        .addStatement(
            "$T array = new $T[in.readCount($L)]", array.java(), element.java(), element.minBytes())
        .beginControlFlow("for (int i = 0; i < array.length; i++)")
        .addStatement("array[i] = $L", names.read(element, IN, true))
        .endControlFlow()
        .addStatement("return array")
        .build();
  }

  private CodeBlock readArray(Shape.Array array) {
    Shape element = array.element();
    return CodeBlock.builder()
        .addStatement("int count = in.readCount($L)", element.minBytes())
        .addStatement(
            "$T<$T> elements = new $T<>($L)", List.class, element.java(), ArrayList.class, PRESIZED)
        .add(loop(CodeBlock.of("elements.add($L)", names.read(element, IN, true))))
        .addStatement("return elements.toArray($L)", Values.emptyArray(array))
        .build();
  }

  private CodeBlock readSequence(Shape.Sequence sequence) {
    Shape element = sequence.element();
    boolean isSet = sequence.type().simpleName().equals("Set");
    CodeBlock made =
        isSet
            ? CodeBlock.of("$T.newLinkedHashSet($L)", LinkedHashSet.class, PRESIZED)
            : CodeBlock.of("new $T<>($L)", ArrayList.class, PRESIZED);
    return CodeBlock.builder()
        .addStatement("int count = in.readCount($L)", element.minBytes())
        .beginControlFlow("if (count == 0)")
        .addStatement("return $L", Values.emptySequence(sequence))
        .endControlFlow()
        .addStatement(
            "$T<$T> elements = $L", isSet ? Set.class : List.class, element.java().box(), made)
        .add(loop(CodeBlock.of("elements.add($L)", names.read(element, IN, true))))
        .addStatement(
            "return $T.unmodifiable$L(elements)", Collections.class, isSet ? "Set" : "List")
        .build();
  }

  private CodeBlock readMapping(Shape.Mapping mapping) {
    return CodeBlock.builder()
        .addStatement(
            "int count = in.readCount($L)", mapping.key().minBytes() + mapping.value().minBytes())
        .beginControlFlow("if (count == 0)")
        .addStatement("return $T.emptyMap()", Collections.class)
        .endControlFlow()
        .addStatement(
            "$T entries = $T.newLinkedHashMap($L)", mapping.java(), LinkedHashMap.class, PRESIZED)
        .add(
            loop(
                CodeBlock.of(
                    "entries.put($L, $L)",
                    names.read(mapping.key(), IN, true),
                    names.read(mapping.value(), IN, true))))
        .addStatement("return $T.unmodifiableMap(entries)", Collections.class)
        .build();
  }

  private static CodeBlock loop(CodeBlock statement) {
    return CodeBlock.builder()
        .beginControlFlow("for (int i = 0; i < count; i++)")
        .addStatement("$L", statement)
        .endControlFlow()
        .build();
  }
}
