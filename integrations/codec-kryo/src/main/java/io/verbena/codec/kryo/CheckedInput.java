package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.io.Input;

/**
 * Reads a peer's message. A length is compared with the remaining bytes before it is used.
 *
 * <p>Containers nest, and each could claim all remaining bytes; so their counts are added up. An
 * element takes at least one byte that no other element has, so all containers together cannot have
 * more elements than the message has bytes. Only a list of nulls takes less; {@link #SPARE} allows
 * for that.
 */
final class CheckedInput extends Input {
  private static final int SPARE = 1024;

  private int allowance;
  private boolean countIsNext;

  CheckedInput(byte[] message) {
    super(message);
    allowance = message.length + SPARE;
  }

  /** Returns the input of a serializer as a checked one. */
  static CheckedInput of(Input input) {
    if (input instanceof CheckedInput checked) {
      return checked;
    }
    throw new KryoException("a serializer uses an input of its own, which bypasses the checks");
  }

  /** Announces a container: the next number is its count plus 1, or 0 for null. */
  void expectCount() {
    countIsNext = true;
  }

  int readCount() {
    int count = readVarInt(true);
    charge(count);
    return count;
  }

  void checkEnd() {
    if (position != limit) {
      throw new KryoException((limit - position) + " bytes follow the value");
    }
  }

  private int counted(int number) {
    if (countIsNext) {
      countIsNext = false;
      if (number != 0) {
        charge(number - 1);
      }
    }
    return number;
  }

  private void charge(int count) {
    if (count < 0 || count > allowance) {
      throw tooMany(count);
    }
    allowance -= count;
  }

  private int checked(int count, int elementBytes) {
    if (count < 0 || count > (limit - position) / elementBytes) {
      throw tooMany(count);
    }
    return count;
  }

  private KryoException tooMany(int count) {
    return new KryoException(
        (count & 0xffff_ffffL)
            + " elements cannot be in "
            + (limit - position)
            + " bytes, at byte "
            + position
            + " of "
            + limit);
  }

  @Override
  protected int require(int bytes) {
    int left = limit - position;
    if (bytes > left) {
      throw new KryoException(
          bytes + " bytes are needed and " + left + " are left, at byte " + position);
    }
    return left;
  }

  @Override
  public int readVarInt(boolean optimizePositive) {
    return counted(super.readVarInt(optimizePositive));
  }

  @Override
  public int readVarIntFlag(boolean optimizePositive) {
    return counted(super.readVarIntFlag(optimizePositive));
  }

  @Override
  public String readString() {
    checkString();
    return super.readString();
  }

  @Override
  public StringBuilder readStringBuilder() {
    checkString();
    return super.readStringBuilder();
  }

  /**
   * Checks a string's length. If the first bit is set, the string begins with its length plus 1, or
   * 0 for null.
   */
  private void checkString() {
    if (readVarIntFlag()) {
      int start = position;
      int length = super.readVarIntFlag(true);
      if (length != 0) {
        checked(length - 1, 1);
      }
      position = start;
    }
  }

  @Override
  public byte[] readBytes(int length) {
    return super.readBytes(checked(length, 1));
  }

  @Override
  public boolean[] readBooleans(int length) {
    return super.readBooleans(checked(length, 1));
  }

  @Override
  public short[] readShorts(int length) {
    return super.readShorts(checked(length, Short.BYTES));
  }

  @Override
  public char[] readChars(int length) {
    return super.readChars(checked(length, Character.BYTES));
  }

  @Override
  public int[] readInts(int length) {
    return super.readInts(checked(length, Integer.BYTES));
  }

  @Override
  public int[] readInts(int length, boolean optimizePositive) {
    return super.readInts(checked(length, 1), optimizePositive);
  }

  @Override
  public long[] readLongs(int length) {
    return super.readLongs(checked(length, Long.BYTES));
  }

  @Override
  public long[] readLongs(int length, boolean optimizePositive) {
    return super.readLongs(checked(length, 1), optimizePositive);
  }

  @Override
  public float[] readFloats(int length) {
    return super.readFloats(checked(length, Float.BYTES));
  }

  @Override
  public double[] readDoubles(int length) {
    return super.readDoubles(checked(length, Double.BYTES));
  }
}
