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
import com.esotericsoftware.kryo.util.Generics;
import com.esotericsoftware.kryo.util.Generics.GenericType;
import com.esotericsoftware.kryo.util.NoGenerics;
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

  /** Null while Kryo's constructor runs. */
  private final @Nullable Declared declared;

  /** Where the value stands that is read next. */
  private Place place = Place.ELSEWHERE;

  /** The type of the field whose value is read next. */
  private @Nullable GenericType ofField;

  /** The declared type of the value that is read; null where it is not known. */
  private @Nullable GenericType current;

  /** Whether the class that is read next is that of a whole value. */
  private boolean checksClass;

  /** How many elements of sets and keys of maps the value that is read stands in. */
  private int hashed;

  /**
   * An instance with the JDK's classes.
   *
   * @param owner the serializer's name, for messages
   */
  StrictKryo(String owner) {
    super(new StrictClasses(), new StrictReferences());
    this.owner = owner;
    this.declared = new Declared(this);
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

  // ---- where values stand that are read ----

  @Override
  public Generics getGenerics() {
    Generics kryos = super.getGenerics();
    return declared == null || kryos == NoGenerics.INSTANCE ? kryos : declared;
  }

  /** Says of what type the field is whose value is read, or written, next. */
  void declares(GenericType field) {
    ofField = field;
  }

  /** Returns the declared type of the value that is read; null where it is not known. */
  @Nullable GenericType current() {
    return current;
  }

  /**
   * Returns whether what is read will be hashed. Containers are written there each time they occur:
   * one that may be referred to holds others twice, they others again, and its hash takes twice as
   * long for each level.
   */
  boolean isHashed() {
    return hashed > 0;
  }

  /** A whole value is read next. */
  void starts(Place root) {
    place = root;
    ofField = null;
    current = null;
  }

  /** Says where the values stand that are read next; returns where they stood. */
  Place readsAt(Place next) {
    Place before = place;
    place = next;
    return before;
  }

  private Place begins() {
    Place at = readsAt(Place.ELSEWHERE);
    current = at == Place.ELSEWHERE ? ofField : at.declared; // what holds values says it itself
    ofField = null;
    hashed += at.isHashed ? 1 : 0;
    return at;
  }

  private void ended(Place at) {
    hashed -= at.isHashed ? 1 : 0;
    place = at.next();
  }

  /** Before anything of it is made: a container that is out of place may take for ever. */
  private void check(Class<?> type) {
    Class<?> expected = current == null ? null : current.resolve(getGenerics());
    if (expected != null && !expected.isPrimitive() && !expected.isAssignableFrom(type)) {
      throw new KryoException(
          "a " + expected.getName() + " was to come, and a " + type.getName() + " came");
    }
  }

  @Override
  public @Nullable Registration readClass(Input input) {
    boolean checks = checksClass;
    checksClass = false;
    Registration registration = super.readClass(input);
    if (checks && registration != null) {
      check(registration.getType());
    }
    return registration;
  }

  @Override
  public @Nullable Object readClassAndObject(Input input) {
    Place at = begins();
    checksClass = true;
    Object read = super.readClassAndObject(input);
    ended(at);
    return read;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  public <T> T readObject(Input input, Class<T> type, Serializer serializer) {
    Place at = begins();
    check(type);
    T read = super.readObject(input, type, serializer);
    ended(at);
    return read;
  }

  @Override
  public <T> T readObject(Input input, Class<T> type) {
    return readObject(input, type, getSerializer(type));
  }

  @Override
  @SuppressWarnings("rawtypes") // as Kryo has it
  public <T> @Nullable T readObjectOrNull(Input input, Class<T> type, Serializer serializer) {
    Place at = begins();
    check(type);
    T read = super.readObjectOrNull(input, type, serializer);
    ended(at);
    return read;
  }

  @Override
  public <T> @Nullable T readObjectOrNull(Input input, Class<T> type) {
    return readObjectOrNull(input, type, getSerializer(type));
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
