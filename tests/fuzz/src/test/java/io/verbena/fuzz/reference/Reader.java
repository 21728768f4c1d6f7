package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Member;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Reads values by their types' names. */
public final class Reader {
  private final Contract contract;
  private final byte[] bytes;
  private final int depth;
  private int at;

  /** Reads a message from its beginning. */
  public Reader(Contract contract, byte[] bytes) {
    this(contract, bytes, 0);
  }

  private Reader(Contract contract, byte[] bytes, int depth) {
    this.contract = contract;
    this.bytes = bytes;
    this.depth = depth;
  }

  /** Reads members in order; those that an older writer left out take their defaults. */
  public List<Tree> members(List<Member> members) throws Malformed {
    List<Tree> read = new ArrayList<>();
    for (Member member : members) {
      Shape shape = contract.shape(member.type());
      if (at < bytes.length) {
        read.add(value(shape));
      } else if (member.optional()) {
        read.add(Defaults.of(shape));
      } else {
        throw new Malformed(member.name() + " is missing");
      }
    }
    return read;
  }

  /** Reads a value of a type. */
  public Tree value(String type) throws Malformed {
    return value(contract.shape(type));
  }

  private Tree value(Shape shape) throws Malformed {
    return switch (shape) {
      case Shape.Fixed it -> number(it.bytes());
      case Shape.Flag _ -> flag();
      case Shape.Text _ -> text();
      case Shape.Raw _ -> new Tree.Raw(HexFormat.of().formatHex(take(length())));
      case Shape.Maybe it -> new Tree.Maybe(flag().value() == 1 ? value(it.value()) : null);
      case Shape.Elements it -> elements(it);
      case Shape.Pairs it -> pairs(it);
      case Shape.Standard it -> standard(it);
      case Shape.Defined it -> defined(it.type());
    };
  }

  private Tree.Fixed number(int width) throws Malformed {
    long value = 0;
    for (byte one : take(width)) {
      value = (value << 8) | (one & 0xff);
    }
    int unused = 64 - 8 * width;
    return new Tree.Fixed(width, (value << unused) >> unused);
  }

  private Tree.Fixed flag() throws Malformed {
    Tree.Fixed flag = number(1);
    if (flag.value() != 0 && flag.value() != 1) {
      throw new Malformed("a boolean is " + flag.value());
    }
    return flag;
  }

  private Tree text() throws Malformed {
    byte[] utf8 = take(length());
    try {
      return new Tree.Text(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException e) {
      throw new Malformed("no UTF-8: " + e);
    }
  }

  /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
  private int varInt() throws Malformed {
    long value = 0;
    for (int i = 0; i < 5; i++) {
      int one = take(1)[0];
      value |= (long) (one & 0x7f) << (7 * i);
      if (one >= 0) {
        if (value > 0xffff_ffffL) {
          throw new Malformed("more than 32 bits");
        }
        return (int) value;
      }
    }
    throw new Malformed("more than 32 bits");
  }

  private int length() throws Malformed {
    int length = varInt();
    if (length < 0 || length > bytes.length - at) {
      throw new Malformed(length + " of " + (bytes.length - at));
    }
    return length;
  }

  private byte[] take(int count) throws Malformed {
    if (count > bytes.length - at) {
      throw new Malformed(count + " of " + (bytes.length - at));
    }
    at += count;
    return Arrays.copyOfRange(bytes, at - count, at);
  }

  private Tree elements(Shape.Elements shape) throws Malformed {
    int count = length();
    List<Tree> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      read.add(value(shape.element()));
    }
    return new Tree.Row(shape.once() ? List.copyOf(new LinkedHashSet<>(read)) : read);
  }

  private Tree pairs(Shape.Pairs shape) throws Malformed {
    int count = length();
    Map<Tree, Tree> read = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      read.put(value(shape.key()), value(shape.value()));
    }
    return new Tree.Pairs(read);
  }

  private Tree standard(Shape.Standard shape) throws Malformed {
    List<Tree> parts = new ArrayList<>();
    for (Shape part : shape.parts()) {
      parts.add(value(part));
    }
    return Calendar.normal(shape.name(), new Tree.Row(parts));
  }

  private Tree defined(Schema.Type type) throws Malformed {
    return switch (type.kind()) {
      case RECORD -> new Tree.Row(inner().members(type.members()));
      case CUSTOM -> {
        Tree value = inner().value(contract.customShape(type));
        if (value instanceof Tree.Text name
            && (name.text().isEmpty() || name.text().charAt(0) == '?')) {
          throw new Malformed("not a name");
        }
        yield value;
      }
      case ENUM -> {
        int ordinal = varInt();
        if (ordinal < 0 || ordinal >= type.members().size()) {
          throw new Malformed("no constant " + ordinal);
        }
        yield new Tree.Place(ordinal);
      }
      case SEALED -> subtype(type);
    };
  }

  /** A record has its length; an enum or another sealed type is put behind one. */
  private Tree subtype(Schema.Type type) throws Malformed {
    int id = varInt();
    for (Member member : type.members()) {
      if (Integer.parseInt(member.name()) == id) {
        Shape.Defined shape = (Shape.Defined) contract.shape(member.type());
        boolean hasLength =
            shape.type().kind() == Schema.Kind.RECORD || shape.type().kind() == Schema.Kind.CUSTOM;
        return new Tree.Sub(id, hasLength ? value(shape) : inner().value(shape));
      }
    }
    throw new Malformed("no subtype " + id);
  }

  /** Returns a reader of what follows a length, and passes it: what it does not read is skipped. */
  private Reader inner() throws Malformed {
    if (depth == contract.mostDepth()) {
      throw new Malformed("too deep");
    }
    return new Reader(contract, take(length()), depth + 1);
  }
}
