package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.util.Pool;
import com.esotericsoftware.kryo.util.Util;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes and reads a type by Kryo. Extend it, list the classes that a value may hold, and name the
 * subclass in {@link io.verbena.api.RpcService#serializers()}:
 *
 * <pre>{@code
 * public final class DrawingSerializer extends KryoSerializer<Drawing> {
 *   public DrawingSerializer() {
 *     super(1, Drawing.class, Circle.class, Group.class);
 *   }
 * }
 * }</pre>
 *
 * <p>Only classes that are listed are written and read, beside strings, boxes, {@code java.time}
 * values and the usual collections of the JDK. The place in the list is what crosses the wire: add
 * classes at the end, and never reuse a place. The list and the fields of its classes are compared
 * with the other end's before the first call, and a mismatch is an error that names the class.
 *
 * <p>Objects that are reached twice are written once, so cycles are kept. Values nest 256 deep at
 * most; {@link #configure} may set another {@linkplain Kryo#setMaxDepth depth}, at both ends.
 *
 * <p>What cannot be written or read is a {@link WireException} that names the class and field, and
 * ends its call alone. Safe for use by any thread; at most two instances of Kryo for each processor
 * are kept, and one that threw is dropped.
 *
 * @param <T> the type; where it is generic, {@code type} is its class
 */
public abstract class KryoSerializer<T> implements Serializer<T> {
  private static final String UNSAFE = "kryo.unsafe";
  private static final boolean USES_UNSAFE = usesUnsafe();
  private static final int MOST_KEPT = 2 * Runtime.getRuntime().availableProcessors();
  private static final int LONGEST_WORDS = 600;

  private final int classId;
  private final Class<? super T> type;
  private final Set<Class<?>> classes = new LinkedHashSet<>();
  private final Pool<Codec> pool =
      new Pool<>(true, false, MOST_KEPT) {
        @Override
        protected Codec create() {
          return newCodec();
        }
      };

  /**
   * A serializer of a type.
   *
   * @param classId its id in the schema: positive, chosen once, never reused
   * @param type what is written; it may be an interface or abstract
   * @param classes every other class of which a value may hold an instance, in an order that is the
   *     same at both ends; with arrays of them, and without what is abstract
   * @throws IllegalStateException if Kryo has been loaded in its unsafe mode, by which bytes could
   *     put any object into any field
   * @throws IllegalArgumentException if the id is not positive or a class is listed twice
   */
  protected KryoSerializer(int classId, Class<? super T> type, Class<?>... classes) {
    if (USES_UNSAFE) {
      throw new IllegalStateException(
          "Kryo uses sun.misc.Unsafe here, so that a peer's bytes could put any object into any"
              + " field. Start Java with -Dkryo.unsafe=false");
    }
    if (classId <= 0) {
      throw new IllegalArgumentException("class id " + classId + " is not positive");
    }
    this.classId = classId;
    this.type = type;
    this.classes.add(type);
    for (Class<?> one : classes) {
      if (!this.classes.add(one)) {
        throw new IllegalArgumentException(one.getName() + " is listed twice in " + name());
      }
    }
  }

  /** Loads Kryo without Unsafe, of which the JDK would warn; nobody need give a flag for that. */
  private static boolean usesUnsafe() {
    if (System.getProperty(UNSAFE) != null) {
      return Util.isUnsafeAvailable();
    }
    System.setProperty(UNSAFE, "false");
    try {
      return Util.isUnsafeAvailable(); // reads the property once and for all
    } finally {
      System.clearProperty(UNSAFE);
    }
  }

  /**
   * Sets up an instance of Kryo on which all classes have been registered, such as with {@code
   * kryo.register(Colour.class, new ColourSerializer())} or an instantiator for classes without a
   * constructor without parameters. Called for each instance, by whichever thread needs it: keep no
   * instance. Serializers that read past the checks of this class are refused. Does nothing unless
   * overridden.
   */
  protected void configure(Kryo kryo) {}

  @Override
  public final int classId() {
    return classId;
  }

  @Override
  public final List<String> layout() {
    Codec codec = pool.obtain();
    List<String> layout = codec.layout();
    pool.free(codec);
    return layout;
  }

  @Override
  public final void write(WireOut out, T value) {
    Codec codec = pool.obtain();
    byte[] bytes;
    try {
      bytes = codec.write(value);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      throw failure("cannot be written: ", e);
    }
    pool.free(codec);
    out.writeBytes(bytes);
  }

  @Override
  @SuppressWarnings("unchecked") // its class has been looked at
  public final T read(WireIn in) {
    byte[] bytes = in.readBytes();
    Codec codec = pool.obtain();
    Object value;
    try {
      value = codec.read(bytes);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      throw failure("cannot be read: ", e);
    }
    pool.free(codec);
    if (!type.isInstance(value)) {
      throw new WireException(
          "a "
              + type.getName()
              + " was to come, and a "
              + (value == null ? null : value.getClass().getName())
              + " came");
    }
    return (T) value;
  }

  /**
   * Reads the number of elements that follow, in a Kryo serializer that {@link #configure} names.
   *
   * @param input what that serializer was given
   * @return what was written by {@code output.writeVarInt(count, true)}
   * @throws com.esotericsoftware.kryo.KryoException if so many cannot be in the message
   */
  public static int readCount(Input input) {
    return CheckedInput.of(input).readCount();
  }

  /** Returns how many instances of Kryo wait for use. */
  int kept() {
    return pool.getFree();
  }

  private Codec newCodec() {
    StrictKryo kryo = new StrictKryo(name());
    int id = StrictKryo.FIRST_ID;
    for (Class<?> one : classes) {
      kryo.registerAs(id++, one);
    }
    configure(kryo);
    kryo.seal();
    return new Codec(kryo, type);
  }

  private String name() {
    return getClass().getSimpleName();
  }

  private WireException failure(String what, Throwable e) {
    String words = Words.of(e);
    return new WireException(
        type.getSimpleName()
            + " "
            + what
            + (words.length() <= LONGEST_WORDS ? words : words.substring(0, LONGEST_WORDS) + "…"),
        e);
  }
}
