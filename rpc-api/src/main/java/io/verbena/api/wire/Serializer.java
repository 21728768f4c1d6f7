package io.verbena.api.wire;

import java.util.List;

/**
 * Writes and reads values of one type. The processor generates one for every type that a contract
 * reaches. Serializers written by hand are named in {@link
 * io.verbena.api.RpcService#serializers()}. All threads share an instance, so it must hold no
 * state.
 */
public interface Serializer<T> {
  /** Returns the type's id in the schema. It is positive, chosen once, and never reused. */
  int classId();

  /**
   * Returns other facts that both ends must agree on, such as the classes that may occur in a
   * value. When a contract is first used, each part is compared with the other end's part at the
   * same position. If one differs, no call that reaches the type is sent. One end may have
   * additional parts after all those of the other; they do no harm. Empty if the class id suffices.
   */
  default List<String> layout() {
    return List.of();
  }

  /** Writes a value, never null. */
  void write(WireOut out, T value);

  /**
   * Reads a value, never null. The bytes come from a peer and may be anything. So read a length
   * with {@link WireIn#readCount}, which checks it, before allocating memory for it.
   *
   * @throws WireException if {@link #write} would not write such bytes
   */
  T read(WireIn in);
}
