package io.verbena.verbs.ffm.abi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One C struct as the LP64 rules lay it out: every member at the next multiple of its own size.
 *
 * <p>Offsets are computed from the order of the members, as a compiler does, and not copied from
 * anywhere; a test compares all of them with what a C compiler says about the same header. Written
 * once in a static initialiser, then read only.
 */
public final class CStruct {
  private final String name;
  private final Map<String, Integer> offsets = new LinkedHashMap<>();
  private int cursor;
  private int end;
  private int alignment = 1;
  private boolean complete = true;

  private CStruct(String name) {
    this.name = name;
  }

  static CStruct struct(String name) {
    return new CStruct(name);
  }

  CStruct u8(String... members) {
    return add(1, members);
  }

  CStruct u16(String... members) {
    return add(2, members);
  }

  CStruct u32(String... members) {
    return add(4, members);
  }

  CStruct u64(String... members) {
    return add(8, members);
  }

  /** Pointers, function pointers and size_t. */
  CStruct ptr(String... members) {
    return add(8, members);
  }

  /**
   * A member of {@code bytes} bytes that is aligned to {@code align}: an array or a nested type.
   */
  CStruct bytes(String member, int bytes, int align) {
    place(member, bytes, align);
    return this;
  }

  /** All members of another struct, in place, under the prefix {@code member.}. */
  CStruct nested(String member, CStruct inner) {
    int at = align(cursor, inner.alignment);
    inner.offsets.forEach((path, offset) -> offsets.put(member + "." + path, at + offset));
    offsets.put(member, at);
    advance(at + inner.size(), inner.alignment);
    return this;
  }

  /** Goes back to where {@code member} begins: what follows is another arm of the same union. */
  CStruct or(String member) {
    cursor = offset(member);
    return this;
  }

  /** Goes on behind the longest arm of the union, with {@code align} bytes of alignment. */
  CStruct endUnion(int align) {
    cursor = align(end, align);
    end = cursor;
    return this;
  }

  /** Says that the header's struct goes on: its size means nothing to us. */
  CStruct andMore() {
    complete = false;
    return this;
  }

  private CStruct add(int size, String... members) {
    for (String member : members) {
      place(member, size, size);
    }
    return this;
  }

  private void place(String member, int size, int align) {
    int at = align(cursor, align);
    if (offsets.putIfAbsent(member, at) != null) {
      throw new IllegalStateException("struct " + name + " names " + member + " twice");
    }
    advance(at + size, align);
  }

  private void advance(int next, int align) {
    cursor = next;
    end = Math.max(end, next);
    alignment = Math.max(alignment, align);
  }

  private static int align(int offset, int align) {
    return (offset + align - 1) & -align;
  }

  /** The C name, as in {@code struct NAME}. */
  public String name() {
    return name;
  }

  /** Whether {@link #size} is the size in the header too. */
  public boolean complete() {
    return complete;
  }

  /** {@code sizeof}, in bytes. */
  public int size() {
    return align(end, alignment);
  }

  /** {@code offsetof}, in bytes; members of unions and nested structs are paths with dots. */
  public int offset(String member) {
    Integer offset = offsets.get(member);
    if (offset == null) {
      throw new IllegalArgumentException("struct " + name + " has no member " + member);
    }
    return offset;
  }

  /** Every member with its offset, in the order of the header. */
  public Map<String, Integer> members() {
    return Collections.unmodifiableMap(offsets);
  }
}
