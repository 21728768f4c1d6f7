package io.verbena.api.wire;

import java.util.List;

/**
 * Writes and reads values of one type. Generated for every type that a contract reaches; written by
 * hand for others and named in {@link io.verbena.api.RpcService#serializers()}. Instances are
 * shared by all threads and hold no state.
 */
public interface Serializer<T> {
  /** Returns the type's id in the schema: positive, chosen once, never reused. */
  int classId();

  /**
   * Returns what else both ends must have alike, such as the classes that may be within a value;
   * each part by itself is compared with the other end's at its place when a contract is first
   * used, and where one differs no call that reaches the type is sent. Parts that only one end has,
   * behind all of the other's, were added and do no harm. Empty where the class id says everything.
   */
  default List<String> layout() {
    return List.of();
  }

  /** Writes a value, never null. */
  void write(WireOut out, T value);

  /**
   * Reads a value, never null. What it reads comes from a peer: a length must be read with {@link
   * WireIn#readCount}, which checks it, before anything is allocated for it.
   *
   * @throws WireException if the bytes are not what {@link #write} writes
   */
  T read(WireIn in);
}
