package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Member;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Writes values by their types' names. */
public final class Writer {
  private final Contract contract;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Writes a message. */
  public Writer(Contract contract) {
    this.contract = contract;
  }

  /** Returns what was written. */
  public byte[] bytes() {
    return out.toByteArray();
  }

  /** Writes members in order. */
  public Writer members(List<Member> members, List<Tree> values) {
    for (int i = 0; i < members.size(); i++) {
      value(members.get(i).type(), values.get(i));
    }
    return this;
  }

  /** Writes a value of a type. */
  public Writer value(String type, Tree value) {
    write(contract.shape(type), value);
    return this;
  }

  private void write(Shape shape, Tree value) {
    switch (shape) {
      case Shape.Fixed it -> fixed(it.bytes(), value);
      case Shape.Flag _ -> fixed(1, value);
      case Shape.Text _ -> run(((Tree.Text) value).text().getBytes(StandardCharsets.UTF_8));
      case Shape.Raw _ -> run(HexFormat.of().parseHex(((Tree.Raw) value).digits()));
      case Shape.Maybe it -> {
        Tree present = ((Tree.Maybe) value).value();
        out.write(present == null ? 0 : 1);
        if (present != null) {
          write(it.value(), present);
        }
      }
      case Shape.Elements it -> {
        List<Tree> elements = ((Tree.Row) value).parts();
        varInt(elements.size());
        elements.forEach(element -> write(it.element(), element));
      }
      case Shape.Pairs it -> {
        Tree.Pairs pairs = (Tree.Pairs) value;
        varInt(pairs.pairs().size());
        pairs
            .pairs()
            .forEach(
                (key, held) -> {
                  write(it.key(), key);
                  write(it.value(), held);
                });
      }
      case Shape.Standard it -> {
        List<Tree> parts = ((Tree.Row) value).parts();
        for (int i = 0; i < parts.size(); i++) {
          write(it.parts().get(i), parts.get(i));
        }
      }
      case Shape.Defined it -> defined(it.type(), value);
    }
  }

  private void defined(Schema.Type type, Tree value) {
    Writer inner = new Writer(contract);
    switch (type.kind()) {
      case RECORD -> run(inner.members(type.members(), ((Tree.Row) value).parts()).bytes());
      case CUSTOM -> {
        inner.write(contract.customShape(type), value);
        run(inner.bytes());
      }
      case ENUM -> varInt(((Tree.Place) value).ordinal());
      case SEALED -> {
        Tree.Sub sub = (Tree.Sub) value;
        varInt(sub.id());
        Member member =
            type.members().stream()
                .filter(one -> one.name().equals(Integer.toString(sub.id())))
                .findFirst()
                .orElseThrow();
        inner.value(member.type(), sub.value());
        Schema.Kind kind = ((Shape.Defined) contract.shape(member.type())).type().kind();
        boolean hasLength = kind == Schema.Kind.RECORD || kind == Schema.Kind.CUSTOM;
        if (hasLength) {
          out.writeBytes(inner.bytes());
        } else {
          run(inner.bytes());
        }
      }
    }
  }

  private void fixed(int width, Tree value) {
    for (int i = width - 1; i >= 0; i--) {
      out.write((int) (((Tree.Fixed) value).value() >> (8 * i)));
    }
  }

  private void run(byte[] bytes) {
    varInt(bytes.length);
    out.writeBytes(bytes);
  }

  private void varInt(int value) {
    long rest = value & 0xffff_ffffL;
    for (; rest > 0x7f; rest >>= 7) {
      out.write((int) ((rest & 0x7f) | 0x80));
    }
    out.write((int) rest);
  }
}
