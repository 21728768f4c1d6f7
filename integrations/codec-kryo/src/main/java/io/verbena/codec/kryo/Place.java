package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.util.Generics.GenericType;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The place of a value that is read: the types that may stand there, and whether the value will be
 * hashed.
 */
final class Place {
  /** A place of which nothing is known. */
  static final Place ELSEWHERE = new Place(false, null);

  private static final Place IN_SET = new Place(true, null);

  final boolean isHashed;
  final @Nullable GenericType declared;

  /** The place of the next value in the same container. */
  private Place next = this;

  private Place(boolean isHashed, @Nullable GenericType declared) {
    this.isHashed = isHashed;
    this.declared = declared;
  }

  Place next() {
    return next;
  }

  /** Returns the places of values of these types, in turn. */
  static Place of(GenericType... declared) {
    Place first = new Place(false, declared[0]);
    Place last = first;
    for (int i = 1; i < declared.length; i++) {
      last.next = new Place(false, declared[i]);
      last = last.next;
    }
    last.next = first;
    return first;
  }

  /** Returns the places of a collection's elements. */
  static Place ofElements(boolean isHashed, @Nullable GenericType container) {
    GenericType element = argument(container, Collection.class, 0);
    if (element != null) {
      return new Place(isHashed, element);
    }
    return isHashed ? IN_SET : ELSEWHERE;
  }

  /** Returns the places of a map's keys and values. */
  static Place ofEntries(@Nullable GenericType map) {
    Place key = new Place(true, argument(map, Map.class, 0));
    key.next = new Place(false, argument(map, Map.class, 1));
    key.next.next = key;
    return key;
  }

  /** Returns the places of a map's values. */
  static Place ofValues(@Nullable GenericType map) {
    return new Place(false, argument(map, Map.class, 1));
  }

  /** Returns the place of a container's comparator, which is read first; the elements follow. */
  static Place behindComparator(Place elements) {
    Place comparator = new Place(false, null);
    comparator.next = elements;
    return comparator;
  }

  /**
   * Returns a type argument of a generic type of the JDK. Those of other types may mean anything.
   */
  static @Nullable GenericType argument(@Nullable GenericType declared, Class<?> kind, int index) {
    GenericType[] arguments = declared == null ? null : declared.getTypeParameters();
    if (declared == null || arguments == null || !(declared.getType() instanceof Class<?> type)) {
      return null;
    }
    boolean isJdks = kind.isAssignableFrom(type) && type.getName().startsWith("java.util.");
    return isJdks && index < arguments.length ? arguments[index] : null;
  }
}
