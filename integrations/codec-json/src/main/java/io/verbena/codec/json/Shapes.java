package io.verbena.codec.json;

import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.codec.TypeText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The types of a peer's contract, by their names. A malformed contract is a {@link WireException}.
 * Safe for use by any thread.
 */
public final class Shapes {
  /**
   * The deepest nesting of types in a type's name. Contracts do not need more, and a thread's stack
   * allows it.
   */
  private static final int MOST_NESTED = 32;

  private final Map<String, Schema.Type> defined = new HashMap<>();
  private final Map<String, JsonShape> known = new HashMap<>();

  /** Reads the types of a contract. */
  public Shapes(Schema schema) {
    schema.types().forEach(type -> defined.put(type.name(), type));
  }

  /**
   * Returns the form of a type.
   *
   * @throws WireException if the contract does not define the type, or this version does not know
   *     it
   */
  public synchronized JsonShape of(String name) {
    return of(name, MOST_NESTED);
  }

  private JsonShape of(String name, int deeper) {
    JsonShape before = known.get(name);
    if (before != null) {
      return before;
    }
    if (deeper == 0) {
      throw new WireException("a type nests more than " + MOST_NESTED + " levels");
    }
    Schema.Type type = defined.get(name);
    JsonShape shape = type == null ? undefined(name, deeper - 1) : defined(type);
    known.put(name, shape);
    return shape;
  }

  private static JsonShape defined(Schema.Type type) {
    return switch (type.kind()) {
      case RECORD -> new JsonShape.Members(type.name(), type.members());
      case CUSTOM -> new JsonShape.Opaque(type.name());
      case ENUM -> constants(type);
      case SEALED -> choice(type);
    };
  }

  private static JsonShape constants(Schema.Type type) {
    List<String> names = type.members().stream().map(Schema.Member::name).toList();
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      places.put(names.get(i), i);
    }
    return new JsonShape.Constants(type.name(), names, places);
  }

  private static JsonShape choice(Schema.Type type) {
    Labels labels = new Labels(type.members().stream().map(Shapes::generic).toList());
    Map<Integer, JsonShape.Subtype> byId = new HashMap<>();
    Map<String, JsonShape.Subtype> byName = new LinkedHashMap<>();
    for (Schema.Member member : type.members()) {
      JsonShape.Subtype subtype =
          new JsonShape.Subtype(id(type, member), labels.of(generic(member)), member.type());
      byId.put(subtype.id(), subtype);
      byName.put(subtype.label(), subtype);
    }
    return new JsonShape.Choice(type.name(), byId, byName);
  }

  /** Returns a subtype's name without type arguments, which are those of its sealed type. */
  private static String generic(Schema.Member subtype) {
    int open = subtype.type().indexOf('<');
    return open < 0 ? subtype.type() : subtype.type().substring(0, open);
  }

  private static int id(Schema.Type type, Schema.Member member) {
    try {
      return Integer.parseInt(member.name());
    } catch (NumberFormatException e) {
      throw new WireException("the id of a subtype of " + type.name() + " is " + member.name(), e);
    }
  }

  private JsonShape undefined(String name, int deeper) {
    JdkType leaf = JsonJdkTypes.named(name);
    if (leaf != null) {
      return new JsonShape.Leaf(name, leaf);
    }
    JsonShape.Leaf optional = JsonJdkTypes.inOptional(name);
    if (optional != null) {
      return new JsonShape.Maybe(optional);
    }
    JsonShape container = container(TypeText.of(name), deeper);
    if (container == null) {
      throw new WireException(
          "type " + name + " is not known here, and the contract does not define it");
    }
    return container;
  }

  private @Nullable JsonShape container(TypeText type, int deeper) {
    List<String> parts = type.parts();
    if (type.outer().equals("java.util.Map") && parts.size() == 2) {
      return new JsonShape.Pairs(of(parts.getFirst(), deeper), of(parts.getLast(), deeper));
    }
    if (parts.size() != 1) {
      return null;
    }
    return switch (type.outer()) {
      case TypeText.ARRAY, "java.util.List", "java.util.Set", "java.util.Collection" ->
          new JsonShape.Elements(of(parts.getFirst(), deeper));
      case TypeText.NULLABLE, "java.util.Optional" ->
          new JsonShape.Maybe(of(parts.getFirst(), deeper));
      case "java.util.concurrent.Flow.Publisher" ->
          new JsonShape.Items(of(parts.getFirst(), deeper));
      default -> null;
    };
  }
}
