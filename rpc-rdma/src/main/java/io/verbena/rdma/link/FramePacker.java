package io.verbena.rdma.link;

import io.verbena.core.memory.Slot;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.SendHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The Send that goes next: frames, one behind another, in a registered slot. {@link SendHeader}
 * shows how. On the loop.
 */
final class FramePacker {
  private final SendSlots slots;
  private int mostBytes;
  private int slot = RegisteredPool.NONE;
  private int length;

  FramePacker(SendSlots slots) {
    this.slots = slots;
  }

  /** The peer's receives take Sends of so many bytes. */
  void peerTakes(int bytes) {
    mostBytes = Math.min(slots.pool().slotBytes(), bytes);
  }

  /** Returns the longest frame that fits a Send. */
  int maxFrameBytes() {
    return mostBytes - SendHeader.BYTES - SendHeader.LENGTH_BYTES;
  }

  /** Returns whether a Send is begun that {@link #take} ends. */
  boolean isOpen() {
    return slot != RegisteredPool.NONE;
  }

  /** Begins a Send; false where there is no slot. */
  boolean open() throws IOException {
    slot = slots.claim();
    length = SendHeader.BYTES;
    return isOpen();
  }

  /** Returns whether a frame fits what is open. */
  boolean fits(Slot frame) {
    return length + SendHeader.LENGTH_BYTES + frame.length() <= mostBytes;
  }

  /** Copies a frame that fits behind the others. */
  void put(Slot frame) {
    ByteBuffer to = slots.pool().buffer(slot);
    int at = slots.pool().offset(slot) + length;
    to.putInt(at, frame.length());
    to.put(at + SendHeader.LENGTH_BYTES, frame.buffer(), 0, frame.length());
    length += SendHeader.LENGTH_BYTES + frame.length();
  }

  /** Returns how long the Send is. */
  int length() {
    return length;
  }

  /** Ends the Send, and returns its slot. */
  int take() {
    int taken = slot;
    slot = RegisteredPool.NONE;
    return taken;
  }

  /** What is open will not go. */
  void release() {
    slots.release(take());
  }
}
