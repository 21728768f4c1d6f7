package io.verbena.api.stub;

import io.verbena.api.wire.Serializer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * A contract as it travels to the other end. If the hashes of two ends differ, they exchange
 * schemas and compare them by ids, order and types. Names serve only to find members that were
 * moved.
 *
 * @param service the service's name
 * @param methods every method, in the order of their ids
 * @param types every record, enum, class, exception and sealed type that the methods reach, in the
 *     order of their names
 */
public record Schema(String service, List<Method> methods, List<Type> types) {
  /** The encoding of a type. */
  public enum Kind {
    /** The members in order. New members may be added at the end. */
    RECORD,
    /** The position of the constant. New constants may be added at the end. */
    ENUM,
    /** The id of the subtype, then the subtype. Member names are ids, member types subtypes. */
    SEALED,
    /**
     * Bytes of the user's own serializer. The members are its class id and the parts of its layout.
     */
    CUSTOM
  }

  /**
   * One method.
   *
   * @param parameters in order
   * @param result the result's type, {@code "void"} for none
   * @param errors the declared exceptions' types, in order
   */
  public record Method(
      int id,
      String name,
      boolean oneway,
      List<Member> parameters,
      String result,
      List<String> errors) {}

  /** One type, by its fully qualified name with type arguments. */
  public record Type(String name, Kind kind, List<Member> members) {
    /** Returns a type that the user's own serializer writes. */
    public static Type custom(String name, Serializer<?> serializer) {
      List<Member> members = new ArrayList<>();
      members.add(new Member(Integer.toString(serializer.classId()), "", false));
      serializer.layout().forEach(part -> members.add(new Member(part, "", false)));
      return new Type(name, Kind.CUSTOM, List.copyOf(members));
    }
  }

  /**
   * A parameter, record component, enum constant or subtype.
   *
   * @param type its type's name; empty for an enum constant
   * @param optional whether it has a default, which a reader uses if an older writer left the
   *     member out
   */
  public record Member(String name, String type, boolean optional) {}

  /**
   * Returns the first 8 bytes of the SHA-256 of the schema's text. Equal schemas have equal hashes.
   */
  public long hash() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(toString().getBytes(StandardCharsets.UTF_8));
      long hash = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        hash = hash << 8 | (digest[i] & 0xff);
      }
      return hash;
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
