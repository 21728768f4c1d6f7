package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.util.MapReferenceResolver;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** References to objects that have been read; Kryo's own reads null for those that are not yet. */
final class StrictReferences extends MapReferenceResolver {
  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  public Object getReadObject(Class type, int id) {
    Object read = id < 0 || id >= readObjects.size() ? null : readObjects.get(id);
    if (read == null) {
      throw new KryoException(
          "it refers to object "
              + id
              + ", which is not made yet: no cycle can pass through a record, an Optional or what"
              + " else is made when all in it has been read");
    }
    if (!type.isInstance(read)) {
      throw new KryoException(
          "it refers to a " + read.getClass().getName() + " as to a " + type.getName());
    }
    if (((StrictKryo) kryo).isHashed() && isContainer(read)) {
      throw new KryoException(
          "it refers to a "
              + read.getClass().getName()
              + " from within an element of a set or a key of a map, where each container has to"
              + " stand itself: its hash could take for ever");
    }
    return read;
  }

  private static boolean isContainer(Object read) {
    return read instanceof Collection<?>
        || read instanceof Map<?, ?>
        || read instanceof Optional<?>
        || read instanceof Object[];
  }
}
