package io.verbena.rdma;

import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Slot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How {@link FarCalls} writes arguments and results, by their declared types. */
final class FarValues {
  /** Interfaces that are values for all that. */
  private static final Set<Class<?>> COPIED = Set.of(List.class, Map.class, MemorySegment.class);

  /** Those that are the same everywhere: what ends with something here cannot be told elsewhere. */
  private static final List<MemoryLife> LIVES =
      List.of(MemoryLife.HELD, MemoryLife.LENT, MemoryLife.ONCE);

  private final DataInputStream in;
  private final DataOutputStream out;
  private final FarMemory memory;
  private final FarCalls calls;

  FarValues(DataInputStream in, DataOutputStream out, FarMemory memory, FarCalls calls) {
    this.in = in;
    this.out = out;
    this.memory = memory;
    this.calls = calls;
  }

  void write(Class<?> type, @Nullable Object value) throws IOException {
    if (type == void.class) {
      return;
    }
    out.writeBoolean(value != null);
    if (value == null) {
      return;
    }
    if (staysWhereItIs(type)) {
      int far = FarCalls.farNumber(value);
      out.writeBoolean(far >= 0);
      out.writeInt(far >= 0 ? far : calls.numberOf(value));
      return;
    }
    switch (value) {
      case Integer number -> out.writeInt(number);
      case Long number -> out.writeLong(number);
      case Boolean flag -> out.writeBoolean(flag);
      case byte[] bytes -> writeBytes(ByteBuffer.wrap(bytes));
      case ByteBuffer bytes -> writeBytes(bytes.duplicate());
      case Slot slot -> writeBytes(slot.buffer().slice(0, slot.length()));
      case MemorySegment part -> {
        out.writeLong(memory.nameOf(part));
        out.writeLong(part.byteSize());
      }
      case MemoryLife life -> out.writeInt(LIVES.indexOf(life));
      case Enum<?> constant -> out.writeUTF(constant.name());
      case Record entries -> writeRecord(entries);
      case LinkOptions options -> {
        write(int.class, options.maxFrameBytes());
        write(Duration.class, options.connectTimeout());
        write(String.class, options.authority());
        write(List.class, options.beside());
      }
      case RdmaSettings settings -> {
        write(int.class, settings.credits());
        write(int.class, settings.guaranteedCredits());
        write(int.class, settings.trafficClass());
      }
      default -> {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(value);
        writeBytes(ByteBuffer.wrap(bytes.toByteArray()));
      }
    }
  }

  @Nullable Object read(Class<?> type) throws IOException {
    if (type == void.class || !in.readBoolean()) {
      return null;
    }
    if (type == int.class) {
      return in.readInt();
    } else if (type == long.class) {
      return in.readLong();
    } else if (type == boolean.class) {
      return in.readBoolean();
    } else if (type == byte[].class) {
      return readBytes();
    } else if (type == ByteBuffer.class) {
      return ByteBuffer.wrap(readBytes());
    } else if (type == Slot.class) {
      return slot(readBytes());
    } else if (type == MemorySegment.class) {
      return memory.named(in.readLong(), in.readLong());
    } else if (type == MemoryLife.class) {
      return LIVES.get(in.readInt());
    } else if (type.isEnum()) {
      return constant(type, in.readUTF());
    } else if (type.isRecord()) {
      return readRecord();
    } else if (type == LinkOptions.class) {
      return readOptions();
    } else if (type == RdmaSettings.class) {
      return readSettings();
    } else if (staysWhereItIs(type)) {
      boolean here = in.readBoolean();
      int number = in.readInt();
      return here ? calls.here(number) : calls.far(type, number);
    }
    try {
      return new ObjectInputStream(new ByteArrayInputStream(readBytes())).readObject();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
  }

  /** Those of links without TLS, and without another protocol. */
  @SuppressWarnings("unchecked") // by its writer
  private LinkOptions readOptions() throws IOException {
    int frames = (Integer) Objects.requireNonNull(read(int.class));
    Duration time = (Duration) Objects.requireNonNull(read(Duration.class));
    return LinkOptions.of(frames, time, null)
        .withAuthority((String) Objects.requireNonNull(read(String.class)))
        .withBeside((List<String>) Objects.requireNonNull(read(List.class)));
  }

  /** Those that differ in tests of two machines. */
  private RdmaSettings readSettings() throws IOException {
    RdmaSettings settings =
        RdmaSettings.DEFAULT
            .withCredits((Integer) Objects.requireNonNull(read(int.class)))
            .withGuaranteedCredits((Integer) Objects.requireNonNull(read(int.class)));
    int trafficClass = (Integer) Objects.requireNonNull(read(int.class));
    return trafficClass < 0 ? settings : settings.withTrafficClass(trafficClass);
  }

  private static Object constant(Class<?> type, String name) throws IOException {
    for (Object constant : type.getEnumConstants()) {
      if (((Enum<?>) constant).name().equals(name)) {
        return constant;
      }
    }
    throw new IOException(type + " has no " + name);
  }

  private static boolean staysWhereItIs(Class<?> type) {
    return type.isInterface() && !COPIED.contains(type);
  }

  private void writeBytes(ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    out.writeInt(copy.length);
    out.write(copy);
  }

  private byte[] readBytes() throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  private static Slot slot(byte[] frame) {
    Slot slot = Slot.unpooled(Math.max(1, frame.length));
    slot.buffer().put(0, frame);
    slot.length(frame.length);
    return slot;
  }

  private void writeRecord(Record value) throws IOException {
    out.writeUTF(value.getClass().getName());
    try {
      for (RecordComponent component : value.getClass().getRecordComponents()) {
        write(component.getType(), component.getAccessor().invoke(value));
      }
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  private Object readRecord() throws IOException {
    try {
      Class<?> type = Class.forName(in.readUTF());
      RecordComponent[] components = type.getRecordComponents();
      Class<?>[] types = new Class<?>[components.length];
      @Nullable Object[] entries = new Object[components.length];
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        entries[i] = read(types[i]);
      }
      return type.getDeclaredConstructor(types).newInstance(entries);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }
}
