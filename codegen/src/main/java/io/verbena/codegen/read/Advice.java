package io.verbena.codegen.read;

import java.util.LinkedHashMap;
import java.util.Map;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** What to use in place of a type that cannot be serialized; it depends on what the type is for. */
record Advice(Types types, Elements elements) {
  /** The beginning of a sentence for what is like nothing that there is. */
  static final String OF_OTHERS = "Use a record";

  private static final String CONTENT =
      "a Landing as a parameter and Received as the result, or an ObjectRef, for its content";

  private static final String STREAM =
      "Have a Flow.Publisher as the last parameter or the result of a method (Streams.of makes one),"
          + " or a List for few items";

  /**
   * What hands out values one after another. Of an Iterable nothing else is known, of its heirs it
   * may.
   */
  private static final Map<String, String> OF_OPEN =
      ordered(
          "java.nio.file.Path",
          "Use String (a path means another file at the other machine), or " + CONTENT,
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

  /** Returns a sentence for a type of which anybody may make a subtype, without its end. */
  String ofOpen(TypeElement type) {
    // Its heirs may be much else: a path, a collection of a project's own.
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
    return known != null // java.sql is a module that a program need not have
        && types.isSubtype(types.erasure(type.asType()), types.erasure(known.asType()));
  }
}
