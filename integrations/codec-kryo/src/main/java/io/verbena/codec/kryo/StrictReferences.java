package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.util.MapReferenceResolver;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * References to objects that have been read. For an object that is not complete yet it throws an
 * exception; Kryo's own resolver would return null.
 */
final class StrictReferences extends MapReferenceResolver {
  @Override
  @SuppressWarnings("rawtypes") // raw types, as in Kryo
  public Object getReadObject(Class type, int id) {
    Object read = id < 0 || id >= readObjects.size() ? null : readObjects.get(id);
    if (read == null) {
      throw new KryoException(
          "it refers to object "
              + id
              + ", which is not complete yet: no cycle can pass through a record, an Optional or another object that is made after its content was read");
    }
    if (!type.isInstance(read) && !(isImmutableList(type) && isImmutableList(read.getClass()))) {
      throw new KryoException(
          "it has a reference to a "
              + read.getClass().getName()
              + " where a reference to this type must stand: "
              + type.getName());
    }
    if (((StrictKryo) kryo).isHashed() && isContainer(read)) {
      throw new KryoException(
          "it has a reference to a "
              + read.getClass().getName()
              + " inside an element of a set or a key of a map, where containers must not be references: the hash could take for ever");
    }
    return read;
  }

  /** The JDK has several classes of immutable lists, and takes one by what the list holds. */
  private static boolean isImmutableList(Class<?> type) {
    return List.class.isAssignableFrom(type) && type.getName().startsWith(Counted.IMMUTABLE);
  }

  private static boolean isContainer(Object read) {
    return read instanceof Collection<?>
        || read instanceof Map<?, ?>
        || read instanceof Optional<?>
        || read instanceof Object[];
  }
}
