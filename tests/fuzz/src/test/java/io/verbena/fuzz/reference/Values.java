package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Member;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Java's values as trees, by reflection: what a decoder that was generated has made of a message.
 */
public final class Values {
  private final Contract contract;

  /** Values of a contract's types. */
  public Values(Contract contract) {
    this.contract = contract;
  }

  /** Returns a value of a type as a tree. */
  public Tree tree(String type, @Nullable Object value) {
    return tree(contract.shape(type), value);
  }

  private Tree tree(Shape shape, @Nullable Object value) {
    if (shape instanceof Shape.Maybe maybe) {
      Object present = present(value);
      return new Tree.Maybe(present == null ? null : tree(maybe.value(), present));
    }
    if (value == null) {
      throw new AssertionError("null for " + shape);
    }
    return switch (shape) {
      case Shape.Fixed it -> new Tree.Fixed(it.bytes(), bits(value));
      case Shape.Flag _ -> new Tree.Fixed(1, (Boolean) value ? 1 : 0);
      case Shape.Text _ -> new Tree.Text((String) value);
      case Shape.Raw _ -> raw(value);
      case Shape.Elements it -> elements(it.element(), value);
      case Shape.Pairs it -> {
        Map<Tree, Tree> pairs = new LinkedHashMap<>();
        ((Map<?, ?>) value)
            .forEach((key, held) -> pairs.put(tree(it.key(), key), tree(it.value(), held)));
        yield new Tree.Pairs(pairs);
      }
      case Shape.Standard it -> standard(it, value);
      case Shape.Defined it -> defined(it.type(), value);
      case Shape.Maybe _ -> throw new AssertionError("told apart above");
    };
  }

  private static @Nullable Object present(@Nullable Object value) {
    return switch (value) {
      case Optional<?> it -> it.orElse(null);
      case OptionalInt it -> it.isPresent() ? it.getAsInt() : null;
      case OptionalLong it -> it.isPresent() ? it.getAsLong() : null;
      case OptionalDouble it -> it.isPresent() ? it.getAsDouble() : null;
      case null, default -> value;
    };
  }

  private static long bits(Object value) {
    return switch (value) {
      case Character it -> (short) it.charValue();
      case Float it -> Float.floatToRawIntBits(it);
      case Double it -> Double.doubleToRawLongBits(it);
      case Number it -> it.longValue();
      default -> throw new AssertionError(value.getClass());
    };
  }

  private static Tree raw(Object value) {
    byte[] bytes;
    if (value instanceof ByteBuffer buffer) {
      bytes = new byte[buffer.remaining()];
      buffer.get(buffer.position(), bytes);
    } else {
      bytes = (byte[]) value;
    }
    return new Tree.Raw(HexFormat.of().formatHex(bytes));
  }

  private Tree elements(Shape element, Object value) {
    List<Tree> parts = new ArrayList<>();
    if (value instanceof Collection<?> collection) {
      collection.forEach(one -> parts.add(tree(element, one)));
    } else {
      for (int i = 0; i < Array.getLength(value); i++) {
        parts.add(tree(element, Array.get(value, i)));
      }
    }
    return new Tree.Row(parts);
  }

  private Tree standard(Shape.Standard shape, Object value) {
    List<Object> parts =
        switch (value) {
          case UUID it -> List.of(it.getMostSignificantBits(), it.getLeastSignificantBits());
          case BigInteger it -> List.of(it.toByteArray());
          case BigDecimal it -> List.of(it.scale(), it.unscaledValue());
          case Instant it -> List.of(it.getEpochSecond(), it.getNano());
          case Duration it -> List.of(it.getSeconds(), it.getNano());
          case Period it -> List.of(it.getYears(), it.getMonths(), it.getDays());
          case LocalDate it ->
              List.of(it.getYear(), (byte) it.getMonthValue(), (byte) it.getDayOfMonth());
          case LocalTime it -> List.of(it.toNanoOfDay());
          case LocalDateTime it -> List.of(it.toLocalDate(), it.toLocalTime());
          case ZoneOffset it -> List.of(it.getTotalSeconds());
          case OffsetDateTime it -> List.of(it.toLocalDateTime(), it.getOffset());
          case OffsetTime it -> List.of(it.toLocalTime(), it.getOffset());
          case Year it -> List.of(it.getValue());
          case YearMonth it -> List.of(it.getYear(), (byte) it.getMonthValue());
          case MonthDay it -> List.of((byte) it.getMonthValue(), (byte) it.getDayOfMonth());
          default -> throw new AssertionError(value.getClass());
        };
    List<Tree> trees = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      trees.add(tree(shape.parts().get(i), parts.get(i)));
    }
    return new Tree.Row(trees);
  }

  private Tree defined(Schema.Type type, Object value) {
    return switch (type.kind()) {
      case ENUM -> new Tree.Place(place((Enum<?>) value));
      case CUSTOM -> tree(contract.customShape(type), property(value, "text"));
      case RECORD -> {
        List<Tree> members = new ArrayList<>();
        for (Member member : type.members()) {
          members.add(tree(member.type(), property(value, member.name())));
        }
        yield new Tree.Row(members);
      }
      case SEALED -> subtype(type, value);
    };
  }

  /** Returns which constant of its type it is, in the order of their declaration. */
  private static int place(Enum<?> constant) {
    return List.of(constant.getDeclaringClass().getEnumConstants()).indexOf(constant);
  }

  private Tree subtype(Schema.Type type, Object value) {
    for (Member member : type.members()) {
      if (isOf(member.type(), value)) {
        return new Tree.Sub(Integer.parseInt(member.name()), tree(member.type(), value));
      }
    }
    throw new AssertionError(value.getClass() + " is no subtype of " + type.name());
  }

  /** Returns whether a value's class, or what it implements, has this name. */
  private static boolean isOf(String name, Object value) {
    for (Class<?> one = value.getClass(); one != null; one = one.getSuperclass()) {
      if (one.getCanonicalName().equals(name)) {
        return true;
      }
      for (Class<?> above : one.getInterfaces()) {
        if (above.getCanonicalName().equals(name)) {
          return true;
        }
      }
    }
    return false;
  }

  private static @Nullable Object property(Object of, String name) {
    String capital = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    for (String accessor : List.of(name, "get" + capital, "is" + capital)) {
      try {
        Method found = of.getClass().getMethod(accessor);
        found.setAccessible(true);
        return found.invoke(of);
      } catch (NoSuchMethodException next) {
        // another one, then
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(accessor, e);
      }
    }
    throw new AssertionError(of.getClass() + " has no " + name);
  }
}
