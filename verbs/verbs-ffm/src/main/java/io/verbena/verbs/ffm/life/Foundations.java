package io.verbena.verbs.ffm.life;

import java.io.IOException;
import java.util.List;

/** The objects that another object depends on. It depends on all of them or on none. */
public final class Foundations {
  private final List<Lifetime> taken;

  private Foundations(List<Lifetime> taken) {
    this.taken = taken;
  }

  /** Makes the caller a dependent of each object. An object that is listed twice counts twice. */
  public static Foundations of(String call, List<Lifetime> objects) throws IOException {
    int done = 0;
    try {
      for (Lifetime object : objects) {
        object.addDependent(call);
        done++;
      }
      return new Foundations(List.copyOf(objects));
    } catch (IOException closed) {
      new Foundations(objects.subList(0, done)).release();
      throw closed;
    }
  }

  /** Releases all objects in reverse order. May be called once. */
  public void release() throws IOException {
    for (Lifetime object : taken.reversed()) {
      object.removeDependent();
    }
  }
}
