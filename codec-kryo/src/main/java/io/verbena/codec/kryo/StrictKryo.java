package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.serializers.BlowfishSerializer;
import com.esotericsoftware.kryo.serializers.ClosureSerializer;
import com.esotericsoftware.kryo.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.serializers.CompatibleFieldSerializer;
import com.esotericsoftware.kryo.serializers.DeflateSerializer;
import com.esotericsoftware.kryo.serializers.ExternalizableSerializer;
import com.esotericsoftware.kryo.serializers.FieldSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import com.esotericsoftware.kryo.serializers.MapSerializer;
import com.esotericsoftware.kryo.serializers.TaggedFieldSerializer;
import com.esotericsoftware.kryo.serializers.VersionFieldSerializer;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Kryo with what it must not do left out. Writes and reads registered classes alone. */
final class StrictKryo extends Kryo {
  /** Ids below are Kryo's own and the JDK's classes'. Up to 125 an id takes one byte. */
  static final int FIRST_ID = 64;

  private static final int MOST_DEPTH = 256;

  private final String owner;

  /** 0 while Kryo registers its own, in the constructor above this one. */
  private int firstFreeId;

  /** What the value that is read next is in its container. */
  private Place place = Place.ELSEWHERE;

  /** How many elements of sets and keys of maps the value that is read stands in. */
  private int hashed;

  /** Where a value stands. */
  enum Place {
    ELSEWHERE,
    IN_SET,
    AS_KEY,
    AS_VALUE
  }

  /**
   * An instance with the JDK's classes.
   *
   * @param owner the serializer's name, for messages
   */
  StrictKryo(String owner) {
    super(new StrictClasses(), new StrictReferences());
    this.owner = owner;
    setMaxDepth(MOST_DEPTH);
    JdkClasses.register(this);
    firstFreeId = FIRST_ID;
  }

  /** Registers a class of the user's. Of what is abstract there is never an instance. */
  void registerAs(int id, Class<?> type) {
    if (Modifier.isAbstract(type.getModifiers()) && !type.isArray() && !type.isEnum()) {
      return;
    }
    try {
      register(type, id);
    } catch (InaccessibleObjectException e) {
      throw new IllegalStateException(
          type.getName()
              + " hides its fields. Leave it out of the list of "
              + owner
              + ", and register it in configure: kryo.register("
              + type.getSimpleName()
              + ".class, a serializer of Kryo's)",
          e);
    }
  }

  /**
   * Has counts checked from here on, and refuses serializers that read past the checks, and classes
   * that can be written and not be made again.
   */
  void seal() {
    for (Registration registration : registrations()) {
      Serializer<?> serializer = registration.getSerializer();
      if (readsPastChecks(serializer)) {
        throw new IllegalStateException(
            owner
                + " uses "
                + serializer.getClass().getSimpleName()
                + " for "
                + registration.getType().getName()
                + ", which trusts what it reads. Take another one in configure");
      }
      if (registration.getId() >= FIRST_ID && makesInstances(serializer)) {
        checkInstantiator(registration);
      }
      registration.setSerializer(Counted.of(serializer, registration.getType()));
    }
  }

  /** A serializer of the user's may make them by itself. */
  private static boolean makesInstances(Serializer<?> serializer) {
    Class<?> type = serializer.getClass();
    return type == FieldSerializer.class
        || type == TaggedFieldSerializer.class
        || type == VersionFieldSerializer.class
        || type == CollectionSerializer.class
        || type == MapSerializer.class;
  }

  private void checkInstantiator(Registration registration) {
    Class<?> type = registration.getType();
    if (registration.getInstantiator() != null || Modifier.isAbstract(type.getModifiers())) {
      return;
    }
    try {
      registration.setInstantiator(newInstantiator(type));
    } catch (KryoException e) {
      throw new IllegalStateException(
          type.getName()
              + " has no constructor without parameters, so that "
              + owner
              + " could write it and not read it. Override configure: kryo.setInstantiatorStrategy(new"
              + " DefaultInstantiatorStrategy(new StdInstantiatorStrategy())), or register a"
              + " serializer of your own for it",
          e);
    }
  }

  private static boolean readsPastChecks(Serializer<?> serializer) {
    return switch (serializer) {
      case TaggedFieldSerializer<?> s -> s.getTaggedFieldSerializerConfig().getChunkedEncoding();
      case BlowfishSerializer s -> true;
      case ClosureSerializer s -> true;
      case CompatibleFieldSerializer<?> s -> true;
      case DeflateSerializer s -> true;
      case ExternalizableSerializer s -> true;
      case JavaSerializer s -> true;
      default -> false;
    };
  }

  // ---- what is hashed while it is read ----

  /**
   * Returns whether what is read will be hashed. Containers are written there each time they occur:
   * one that may be referred to holds others twice, they others again, and its hash takes twice as
   * long for each level.
   */
  boolean isHashed() {
    return hashed > 0;
  }

  /** Says where the values stand that are read next; returns where they stood. */
  Place readsAt(Place next) {
    Place before = place;
    place = next;
    return before;
  }

  private Place begins() {
    Place at = readsAt(Place.ELSEWHERE);
    hashed += isHashing(at) ? 1 : 0;
    return at;
  }

  private void ended(Place at) {
    hashed -= isHashing(at) ? 1 : 0;
    place =
        switch (at) {
          case AS_KEY -> Place.AS_VALUE;
          case AS_VALUE -> Place.AS_KEY;
          default -> at;
        };
  }

  private static boolean isHashing(Place at) {
    return at == Place.IN_SET || at == Place.AS_KEY;
  }

  @Override
  public Object readClassAndObject(Input input) {
    Place at = begins();
    Object read = super.readClassAndObject(input);
    ended(at);
    return read;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  public <T> T readObject(Input input, Class<T> type, Serializer serializer) {
    Place at = begins();
    T read = super.readObject(input, type, serializer);
    ended(at);
    return read;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  public <T> @Nullable T readObjectOrNull(Input input, Class<T> type, Serializer serializer) {
    Place at = begins();
    T read = super.readObjectOrNull(input, type, serializer);
    ended(at);
    return read;
  }

  /** Returns all that is registered, in the order of the ids. */
  Collection<Registration> registrations() {
    return ((StrictClasses) getClassResolver()).registrations();
  }

  @Override
  public int getNextRegistrationId() {
    int id = firstFreeId;
    while (getRegistration(id) != null) {
      id++;
    }
    return id;
  }

  @Override
  public void setRegistrationRequired(boolean required) {
    if (!required) {
      throw new IllegalStateException(
          owner + " must not do without registration: a peer could name any class");
    }
  }

  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  protected String unregisteredClassMessage(Class type) {
    return type.getName()
        + " is not registered with "
        + owner
        + ". Add it to the end of its list of classes, at both ends";
  }
}
