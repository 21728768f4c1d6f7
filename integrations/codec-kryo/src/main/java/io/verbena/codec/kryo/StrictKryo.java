package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.Registration;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.serializers.BlowfishSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.ClosureSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.CompatibleFieldSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DeflateSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.ExternalizableSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.FieldSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.JavaSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.MapSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.TaggedFieldSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.VersionFieldSerializer;
import com.esotericsoftware.kryo.kryo5.util.Generics;
import com.esotericsoftware.kryo.kryo5.util.Generics.GenericType;
import com.esotericsoftware.kryo.kryo5.util.NoGenerics;
import com.esotericsoftware.kryo.kryo5.util.Util;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Kryo without its dangerous features. It writes and reads registered classes only. */
final class StrictKryo extends Kryo {
  /**
   * The first id of users' classes. Lower ids are those of Kryo and of the JDK's classes. Ids up to
   * 125 take one byte.
   */
  static final int FIRST_ID = 64;

  private static final int MOST_DEPTH = 256;

  private final String owner;

  /** 0 while Kryo registers its own classes, in the super constructor. */
  private int firstFreeId;

  /** Null during Kryo's constructor. */
  private final @Nullable Declared declared;

  /** The place of the next value. */
  private Place place = Place.ELSEWHERE;

  /** The type of the field whose value is read next. */
  private @Nullable GenericType ofField;

  /** The declared type of the value that is read; null if it is unknown. */
  private @Nullable GenericType current;

  /** Whether the next class to read is that of a whole value. */
  private boolean checksClass;

  private boolean skipReference;

  /** The number of set elements and map keys around the value that is read. */
  private int hashed;

  /**
   * Makes an instance with the JDK's classes.
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

  /** Registers a class of the user's. Abstract classes have no instances, so they are left out. */
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
              + ", and register a serializer of your own for it in configure: kryo.register("
              + type.getSimpleName()
              + ".class, new "
              + type.getSimpleName()
              + "Serializer())",
          e);
    }
  }

  /**
   * Turns on the checks of counts. Refuses serializers that bypass the checks, and classes that
   * could be written but not read.
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
                + ", which does not check its input. Register another serializer in configure");
      }
      if (registration.getId() >= FIRST_ID && makesInstances(serializer)) {
        checkInstantiator(registration);
      }
      registration.setSerializer(Counted.of(serializer, registration.getType()));
    }
  }

  /**
   * Returns whether the serializer uses Kryo's instantiators. A user's own serializer may make
   * instances by itself.
   */
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
    if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
      checkConstructor(type);
      return;
    }
    try {
      registration.setInstantiator(newInstantiator(type));
    } catch (KryoException e) {
      throw new IllegalStateException(
          type.getName()
              + " has no constructor without parameters, so "
              + owner
              + " could write but not read it. Override configure: kryo.setInstantiatorStrategy(new"
              + " DefaultInstantiatorStrategy(new StdInstantiatorStrategy())), or register a"
              + " serializer of your own for it",
          e);
    }
  }

  /** A container that was made without its constructor could hold nothing. */
  private void checkConstructor(Class<?> type) {
    boolean has =
        Arrays.stream(type.getDeclaredConstructors()).anyMatch(c -> c.getParameterCount() == 0);
    if (!has) {
      throw new IllegalStateException(
          "%1$s has no constructor without parameters, so %2$s could write but not read it. Override configure: kryo.register(%3$s.class, a %4$sSerializer of Kryo's with a method create(...) of your own)"
              .formatted(
                  type.getName(),
                  owner,
                  type.getSimpleName(),
                  Map.class.isAssignableFrom(type) ? "Map" : "Collection"));
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

  // ---- places of values ----

  @Override
  public Generics getGenerics() {
    Generics kryos = super.getGenerics();
    return declared == null || kryos == NoGenerics.INSTANCE ? kryos : declared;
  }

  /** Notes the type of the field whose value is read or written next. */
  void declareNext(GenericType field) {
    ofField = field;
  }

  /** Returns the declared type of the value that is read; null if it is unknown. */
  @Nullable GenericType current() {
    return current;
  }

  /**
   * Returns whether the value will be hashed. Inside such a value, containers are written again at
   * each reference. Otherwise a container could refer to another twice, that one to a third twice,
   * and each level would double the time of the hash.
   */
  boolean isHashed() {
    return hashed > 0;
  }

  /** Prepares to read a whole value. */
  void start(Place root) {
    place = root;
    ofField = null;
    current = null;
  }

  /** Sets the place of the next values; returns the place before. */
  Place readsAt(Place next) {
    Place before = place;
    place = next;
    return before;
  }

  private Place begins() {
    Place at = readsAt(Place.ELSEWHERE);
    // A container announces the places of its values itself.
    current = at == Place.ELSEWHERE ? ofField : at.declared;
    ofField = null;
    hashed += at.isHashed ? 1 : 0;
    return at;
  }

  private void ended(Place at) {
    hashed -= at.isHashed ? 1 : 0;
    place = at.next();
  }

  /** Checks the type before an instance is made: a container of a wrong type may take for ever. */
  private void check(Class<?> registered) {
    // Kryo registers a primitive type for its box, too.
    Class<?> type = registered.isPrimitive() ? Util.getWrapperClass(registered) : registered;
    Class<?> expected = current == null ? null : current.resolve(getGenerics());
    if (expected != null && !expected.isPrimitive() && !expected.isAssignableFrom(type)) {
      throw new KryoException(
          "a " + expected.getName() + " was expected, but a " + type.getName() + " came");
    }
  }

  /** Checks the enum of a container against the declared type of its elements or keys. */
  void checkArgument(Class<?> container, Class<?> type) {
    GenericType argument = Place.argument(current, container, 0);
    Class<?> expected = argument == null ? null : argument.resolve(getGenerics());
    if (expected != null && !expected.isAssignableFrom(type)) {
      throw new KryoException(
          "a " + expected.getName() + " was expected, but a " + type.getName() + " came");
    }
  }

  /** Says whether the next object that is announced while it is read is not the one returned. */
  void setSkipReference(boolean skips) {
    skipReference = skips;
  }

  @Override
  public void reference(@Nullable Object object) {
    if (skipReference) {
      skipReference = false; // the container that is made of it is announced at its end
    } else {
      super.reference(object);
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
  @SuppressWarnings("rawtypes") // raw types, as in Kryo
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
  @SuppressWarnings("rawtypes") // raw types, as in Kryo
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

  /** Returns all registrations, in the order of their ids. */
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
          owner + " must require registration, or a peer could name any class");
    }
  }

  @Override
  @SuppressWarnings("rawtypes") // raw types, as in Kryo
  protected String unregisteredClassMessage(Class type) {
    return type.getName() + " is not registered with " + owner + ". " + cure(type);
  }

  /** Nobody can list classes without a name, and the JDK's own, such as views and wrappers. */
  private static String cure(Class<?> type) {
    if (type.isHidden()) {
      return "It is a lambda, which cannot be sent: send a value, such as an enum constant";
    }
    boolean isAnonymous = type.isAnonymousClass();
    if (!isAnonymous && !isInternal(type)) {
      return "Add it to the end of its list of classes, at both ends";
    }
    if (Map.class.isAssignableFrom(type)) {
      return "Copy it: new LinkedHashMap<>(value)";
    }
    if (Set.class.isAssignableFrom(type)) {
      return "Copy it: new LinkedHashSet<>(value)";
    }
    if (Collection.class.isAssignableFrom(type)) {
      return "Copy it: new ArrayList<>(value)";
    }
    return isAnonymous
        ? "Give the class a name, and list it at both ends"
        : "It is internal to the JDK: send what it is made of, such as its text";
  }

  private static boolean isInternal(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    boolean isOfTheJdk = loader == null || loader == ClassLoader.getPlatformClassLoader();
    boolean isOpen =
        Modifier.isPublic(type.getModifiers())
            && type.getModule().isExported(type.getPackageName());
    return isOfTheJdk && !isOpen;
  }
}
