package io.verbena.core.transfer;

import java.nio.ByteBuffer;

/**
 * A grant of the receiver.
 *
 * @param generation the number of times that memory was granted again
 * @param offset the position in the object
 * @param length the number of bytes
 * @param epoch the number of the link to write over
 * @param advertisement the link's description of the memory
 */
record Grant(int generation, long offset, long length, int epoch, ByteBuffer advertisement) {}
