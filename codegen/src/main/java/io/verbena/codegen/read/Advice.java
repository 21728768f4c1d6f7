package io.verbena.codegen.read;

import java.util.LinkedHashMap;
import java.util.Map;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Replacements for types that cannot be serialized, by their usual purpose. */
record Advice(Types types, Elements elements) {
  /** The beginning of the sentence for all other types. */
  static final String OF_OTHERS = "Use a record";

  private static final String CONTENT =
      "a Landing as a parameter and Received as the result, or an ObjectRef, for its content";

  private static final String STREAM =
      "Use a Flow.Publisher as the last parameter or the result of a method (Streams.of makes one),"
          + " or a List for few items";

  /**
   * Types that supply values one after another. Iterable has a rule of its own, because its
   * subtypes may be anything.
   */
  private static final Map<String, String> OF_OPEN =
      ordered(
          "java.nio.file.Path",
          "Use String (a path means another file on the other machine), or " + CONTENT,
          "java.util.stream.BaseStream",
          STREAM,
          "java.util.Iterator",
          STREAM,
          "java.util.concurrent.Flow.Publisher",
          STREAM);

  private static final Map<String, String> OF_CLASSES =
      ordered(
          "java.sql.Date",
          "Use java.time.LocalDate",
          "java.sql.Time",
          "Use java.time.LocalTime",
          "java.util.Date",
          "Use java.time.Instant",
          "java.util.Calendar",
          "Use java.time.ZonedDateTime",
          "java.io.InputStream",
          "Use " + CONTENT,
          "java.io.OutputStream",
          "Use " + CONTENT,
          "java.io.Reader",
          "Use String, or " + CONTENT,
          "java.io.File",
          "Use String for its name, or " + CONTENT);

  private static Map<String, String> ordered(String... namesAndWords) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndWords.length; i += 2) {
      map.put(namesAndWords[i], namesAndWords[i + 1]);
    }
    return map;
  }

  /** Returns a sentence, without its end, for a type that may have unknown subtypes. */
  String ofOpen(TypeElement type) {
    // Its subtypes may be much else: a path, a collection of a project's own.
    if (type.getQualifiedName().contentEquals("java.lang.Iterable")) {
      return STREAM;
    }
    return first(
        OF_OPEN,
        type,
        "Make it sealed, use a record, or name a serializer in @RpcService(serializers = ...), such"
            + " as a KryoSerializer of codec-kryo");
  }

  /** Returns the beginning of a sentence for a class that hides its fields. */
  String ofClass(TypeElement type) {
    return first(OF_CLASSES, type, OF_OTHERS);
  }

  private String first(Map<String, String> words, TypeElement type, String others) {
    return words.entrySet().stream()
        .filter(entry -> isSubtype(type, entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(others);
  }

  private boolean isSubtype(TypeElement type, String of) {
    TypeElement known = elements.getTypeElement(of);
    return known != null // a program may lack the module java.sql
        && types.isSubtype(types.erasure(type.asType()), types.erasure(known.asType()));
  }
}
