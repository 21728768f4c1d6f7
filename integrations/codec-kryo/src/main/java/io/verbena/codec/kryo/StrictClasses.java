package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.Registration;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.util.DefaultClassResolver;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/** The registered classes. Kryo's own resolver would load any class that a peer names. */
final class StrictClasses extends DefaultClassResolver {
  private final SortedMap<Integer, Registration> registrations = new TreeMap<>();

  @Override
  public Registration register(Registration registration) {
    registrations.put(registration.getId(), registration);
    return super.register(registration);
  }

  @Override
  public Registration unregister(int id) {
    registrations.remove(id);
    return super.unregister(id);
  }

  /** Returns the registrations in the order of their ids. */
  Collection<Registration> registrations() {
    return registrations.values();
  }

  @Override
  protected Registration readName(Input input) {
    throw new KryoException("the peer names a class instead of a registered id");
  }
}
