package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Member;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes values of any type up, edges more often than not. */
public final class RandomTrees {
  private static final long[] EDGES = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 127, 128, 255};
  private static final String[] TEXTS = {"", "a", "\u00e9", "\u20ac", "\ud83c\udf3f", "\ufffd"};

  private static final int MOST_FILLED = 20;

  private final Contract contract;
  private final Random random;

  /** How many more containers one value may have that are not empty. */
  private int left;

  /** Values of a contract's types. */
  public RandomTrees(Contract contract, Random random) {
    this.contract = contract;
    this.random = random;
  }

  /** Returns values for members. */
  public List<Tree> members(List<Member> members) {
    left = MOST_FILLED;
    return members(members, 0);
  }

  private List<Tree> members(List<Member> members, int depth) {
    List<Tree> made = new ArrayList<>();
    members.forEach(member -> made.add(value(contract.shape(member.type()), depth)));
    return made;
  }

  private Tree value(Shape shape, int depth) {
    return switch (shape) {
      case Shape.Fixed it -> number(it.bytes());
      case Shape.Flag _ -> new Tree.Fixed(1, random.nextInt(2));
      case Shape.Text _ -> new Tree.Text(text());
      case Shape.Raw _ -> raw(random.nextInt(200));
      case Shape.Maybe it ->
          new Tree.Maybe(isLess(depth) || random.nextBoolean() ? null : value(it.value(), depth));
      case Shape.Elements it -> elements(it, depth);
      case Shape.Pairs it -> {
        Map<Tree, Tree> pairs = new LinkedHashMap<>();
        for (int i = count(depth); i > 0; i--) {
          pairs.put(value(it.key(), depth), value(it.value(), depth));
        }
        yield new Tree.Pairs(pairs);
      }
      case Shape.Standard it -> standard(it, depth);
      case Shape.Defined it -> defined(it.type(), depth);
    };
  }

  /** Deep values are to end some time. */
  private boolean isLess(int depth) {
    return depth > 6 || random.nextInt(8) < depth;
  }

  private int count(int depth) {
    if (left == 0 || isLess(depth)) {
      return 0;
    }
    left--;
    return random.nextInt(random.nextInt(10) == 0 ? 200 : 4);
  }

  private Tree.Fixed number(int width) {
    long any = random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong();
    int unused = 64 - 8 * width;
    return new Tree.Fixed(width, (any << unused) >> unused);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 300 : 5); i > 0; i--) {
      text.append(TEXTS[random.nextInt(TEXTS.length)]);
    }
    return text.toString();
  }

  private Tree raw(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return new Tree.Raw(HexFormat.of().formatHex(bytes));
  }

  private Tree elements(Shape.Elements shape, int depth) {
    List<Tree> made = new ArrayList<>();
    for (int i = count(depth); i > 0; i--) {
      made.add(value(shape.element(), depth));
    }
    return new Tree.Row(shape.once() ? List.copyOf(new LinkedHashSet<>(made)) : made);
  }

  /** Returns parts that there are such values of, in the form that writers choose. */
  private Tree standard(Shape.Standard shape, int depth) {
    while (true) {
      List<Tree> parts = new ArrayList<>();
      for (Shape part : shape.parts()) {
        parts.add(
            switch (part) {
              case Shape.Fixed it when it.bytes() == 1 -> new Tree.Fixed(1, 1 + random.nextInt(31));
              case Shape.Fixed it when random.nextBoolean() ->
                  new Tree.Fixed(it.bytes(), random.nextInt(60_000));
              case Shape.Raw _ -> raw(1 + random.nextInt(30));
              default -> value(part, depth);
            });
      }
      try {
        return Calendar.normal(shape.name(), new Tree.Row(parts));
      } catch (Malformed again) {
        // a 31st of February
      }
    }
  }

  private Tree defined(Schema.Type type, int depth) {
    return switch (type.kind()) {
      case RECORD -> new Tree.Row(members(type.members(), depth + 1));
      case CUSTOM -> new Tree.Text("Verbena" + text());
      case ENUM -> new Tree.Place(random.nextInt(type.members().size()));
      case SEALED -> {
        Member member = type.members().get(random.nextInt(type.members().size()));
        Tree value = value(contract.shape(member.type()), depth + 1);
        yield new Tree.Sub(Integer.parseInt(member.name()), value);
      }
    };
  }
}
