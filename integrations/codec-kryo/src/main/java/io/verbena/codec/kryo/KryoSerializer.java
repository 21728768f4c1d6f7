package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.util.Pool;
import com.esotericsoftware.kryo.kryo5.util.Util;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes and reads values of a type by Kryo. Extend it, list the classes that a value may hold, and
 * name the subclass in {@link io.verbena.api.RpcService#serializers()}:
 *
 * <pre>{@code
 * public final class DrawingSerializer extends KryoSerializer<Drawing> {
 *   public DrawingSerializer() {
 *     super(1, Drawing.class, Circle.class, Group.class);
 *   }
 * }
 * }</pre>
 *
 * <p>Only listed classes are written and read, and besides them strings, boxes, {@code java.time}
 * values and the usual collections of the JDK. The index in the list is sent on the wire, so add
 * new classes at the end, and never reuse an index. The list and the fields of its classes are
 * compared with those of the other end before the first call. A mismatch is an error that names the
 * class.
 *
 * <p>An object with several references to it is written once, so cycles are kept. Values may nest
 * 256 deep; {@link #configure} may set another {@linkplain Kryo#setMaxDepth depth}, at both ends.
 *
 * <p>If a value cannot be written or read, its call fails with a {@link WireException} that names
 * the class and field. Other calls are not affected. Safe for use by any thread. At most two
 * instances of Kryo are kept for each processor, and one that threw an exception is dropped.
 *
 * @param <T> the type; if it is generic, {@code type} is its class
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
   * Makes a serializer of a type.
   *
   * @param classId its id in the schema: positive, chosen once, never reused
   * @param type the class of the values; it may be an interface or abstract
   * @param classes all other classes of objects in a value, in an order that is the same at both
   *     ends. Arrays of them are listed too, abstract classes are not
   * @throws IllegalStateException if Kryo was loaded in its unsafe mode, in which bytes could put
   *     any object into any field
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

  /** Loads Kryo without Unsafe, of which the JDK would warn. So users need no flag for that. */
  private static boolean usesUnsafe() {
    if (System.getProperty(UNSAFE) != null) {
      return Util.isUnsafeAvailable();
    }
    System.setProperty(UNSAFE, "false");
    try {
      return Util.isUnsafeAvailable(); // reads the property once
    } finally {
      System.clearProperty(UNSAFE);
    }
  }

  /**
   * Configures an instance of Kryo on which all classes have been registered. For example, it may
   * call {@code kryo.register(Colour.class, new ColourSerializer())}, or set an instantiator for
   * classes without a constructor without parameters. It is called for each instance, on the thread
   * that needs it; keep no reference to the instance. Serializers that bypass the checks of this
   * class are refused. Does nothing unless overridden.
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
  @SuppressWarnings("unchecked") // its class was checked
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
              + " was expected, but a "
              + (value == null ? null : value.getClass().getName())
              + " came");
    }
    return (T) value;
  }

  /**
   * Reads a number of elements, in a serializer of Kryo's that {@link #configure} registers.
   *
   * @param input the serializer's input
   * @return the number that {@code output.writeVarInt(count, true)} wrote
   * @throws com.esotericsoftware.kryo.kryo5.KryoException if the message is too short for so many
   */
  public static int readCount(Input input) {
    return CheckedInput.of(input).readCount();
  }

  /** Returns the number of idle instances of Kryo. */
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
    String words = KryoFailureText.of(e);
    return new WireException(
        type.getSimpleName()
            + " "
            + what
            + (words.length() <= LONGEST_WORDS ? words : words.substring(0, LONGEST_WORDS) + "…"),
        e);
  }
}
