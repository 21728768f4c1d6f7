package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import java.util.concurrent.CountDownLatch;

/** A value whose writers wait for one another, each with an instance of Kryo in its hands. */
final class Meeting {
  /** Writes it when all are there. */
  static final class Waiting extends Serializer<Meeting> {
    private final CountDownLatch all;

    Waiting(CountDownLatch all) {
      this.all = all;
    }

    @Override
    public void write(Kryo kryo, Output output, Meeting value) {
      all.countDown();
      try {
        all.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public Meeting read(Kryo kryo, Input input, Class<? extends Meeting> type) {
      return new Meeting();
    }
  }
}
