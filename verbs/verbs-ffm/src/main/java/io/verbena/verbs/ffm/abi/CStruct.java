package io.verbena.verbs.ffm.abi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The layout of one C struct by the LP64 rules. Every member is at the next multiple of its own
 * size.
 *
 * <p>The class computes offsets from the order of the members, as a compiler does. A test compares
 * all offsets with those of a C compiler for the same header. A static initialiser fills the
 * layout; afterwards it does not change.
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

  /** Adds pointers, function pointers or members of type size_t. */
  CStruct ptr(String... members) {
    return add(8, members);
  }

  /** Adds an array or a nested type of {@code bytes} bytes, aligned to {@code align}. */
  CStruct bytes(String member, int bytes, int align) {
    place(member, bytes, align);
    return this;
  }

  /** Adds all members of another struct in place, with the prefix {@code member.}. */
  CStruct nested(String member, CStruct inner) {
    int at = align(cursor, inner.alignment);
    inner.offsets.forEach((path, offset) -> offsets.put(member + "." + path, at + offset));
    offsets.put(member, at);
    advance(at + inner.size(), inner.alignment);
    return this;
  }

  /** Goes back to the start of {@code member}, for another arm of the same union. */
  CStruct or(String member) {
    cursor = offset(member);
    return this;
  }

  /** Continues after the longest arm of the union, with {@code align} bytes of alignment. */
  CStruct endUnion(int align) {
    cursor = align(end, align);
    end = cursor;
    return this;
  }

  /** Marks that the header's struct has further members, so that its size is unknown. */
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

  /** Returns the C name, as in {@code struct NAME}. */
  public String name() {
    return name;
  }

  /** Returns whether {@link #size} is also the size in the header. */
  public boolean complete() {
    return complete;
  }

  /** Returns {@code sizeof}, in bytes. */
  public int size() {
    return align(end, alignment);
  }

  /**
   * Returns {@code offsetof} in bytes. Members of unions and nested structs are paths with dots.
   */
  public int offset(String member) {
    Integer offset = offsets.get(member);
    if (offset == null) {
      throw new IllegalArgumentException("struct " + name + " has no member " + member);
    }
    return offset;
  }

  /** Returns every member with its offset, in the order of the header. */
  public Map<String, Integer> members() {
    return Collections.unmodifiableMap(offsets);
  }
}
