package io.verbena.codec;

import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Writes and reads a schema, for two ends whose contracts differ. The memory of a schema that was
 * read is at most a small multiple of its message.
 */
public final class SchemaWire {
  private SchemaWire() {}

  /** Writes a schema. */
  public static void write(WireOut out, Schema schema) {
    out.writeString(schema.service());
    writeList(out, schema.methods(), SchemaWire::writeMethod);
    writeList(out, schema.types(), SchemaWire::writeType);
  }

  /** Returns the part of a schema for some of its methods, with all types that they may reach. */
  public static Schema part(Schema whole, Collection<Integer> methods) {
    List<Schema.Method> named =
        whole.methods().stream().filter(method -> methods.contains(method.id())).toList();
    Set<Schema.Type> reached = new HashSet<>();
    ArrayDeque<String> texts = new ArrayDeque<>();
    for (Schema.Method method : named) {
      texts.add(method.result());
      texts.addAll(method.errors());
      method.parameters().forEach(parameter -> texts.add(parameter.type()));
    }
    String text;
    while ((text = texts.poll()) != null) {
      for (Schema.Type type : whole.types()) {
        if (text.contains(type.name()) && reached.add(type)) {
          type.members().forEach(member -> texts.add(member.type()));
        }
      }
    }
    List<Schema.Type> types = whole.types().stream().filter(reached::contains).toList();
    return new Schema(whole.service(), named, types);
  }

  /** Reads a schema. */
  public static Schema read(WireIn in) {
    return new Schema(
        in.readString(), readList(in, SchemaWire::readMethod), readList(in, SchemaWire::readType));
  }

  private static void writeMethod(WireOut out, Schema.Method method) {
    out.writeVarInt(method.id());
    out.writeString(method.name());
    out.writeBoolean(method.oneway());
    writeList(out, method.parameters(), SchemaWire::writeMember);
    out.writeString(method.result());
    writeList(out, method.errors(), WireOut::writeString);
  }

  private static Schema.Method readMethod(WireIn in) {
    return new Schema.Method(
        in.readVarInt(),
        in.readString(),
        in.readBoolean(),
        readList(in, SchemaWire::readMember),
        in.readString(),
        readList(in, WireIn::readString));
  }

  private static void writeType(WireOut out, Schema.Type type) {
    out.writeString(type.name());
    out.writeString(type.kind().name());
    writeList(out, type.members(), SchemaWire::writeMember);
  }

  private static Schema.Type readType(WireIn in) {
    String name = in.readString();
    String kind = in.readString();
    for (Schema.Kind known : Schema.Kind.values()) {
      if (known.name().equals(kind)) {
        return new Schema.Type(name, known, readList(in, SchemaWire::readMember));
      }
    }
    throw new WireException("type " + name + " has a kind that is not known here: " + kind);
  }

  private static void writeMember(WireOut out, Schema.Member member) {
    out.writeString(member.name());
    out.writeString(member.type());
    out.writeBoolean(member.optional());
  }

  private static Schema.Member readMember(WireIn in) {
    return new Schema.Member(in.readString(), in.readString(), in.readBoolean());
  }

  private static <T> void writeList(WireOut out, List<T> list, BiConsumer<WireOut, T> writer) {
    out.writeCount(list.size());
    list.forEach(element -> writer.accept(out, element));
  }

  private static <T> List<T> readList(WireIn in, Function<WireIn, T> reader) {
    int count = in.readCount(1);
    List<T> list = new ArrayList<>(Math.min(count, 1024));
    for (int i = 0; i < count; i++) {
      list.add(reader.apply(in));
    }
    return list;
  }
}
