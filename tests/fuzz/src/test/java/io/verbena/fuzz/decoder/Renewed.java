package io.verbena.fuzz.decoder;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a target attacks: made anew now and then, and after each finding, since to make one takes
 * longer than an input.
 */
final class Renewed<W> {
  private static final int INPUTS = 200;

  private final Supplier<W> made;
  private final Consumer<W> closes;
  private W world;
  private int inputs;

  /** The effect of an input on it. */
  @FunctionalInterface
  interface Attack<W, E extends Exception> {
    void on(W world) throws E;
  }

  Renewed(Supplier<W> made, Consumer<W> closes) {
    this.made = made;
    this.closes = closes;
    this.world = made.get();
  }

  W world() {
    return world;
  }

  <E extends Exception> void take(Attack<W, E> attack) throws E {
    if (inputs++ == INPUTS) {
      renew();
    }
    boolean isSound = false;
    try {
      attack.on(world);
      isSound = true;
    } finally {
      if (!isSound) {
        renew();
      }
    }
  }

  private void renew() {
    closes.accept(world);
    world = made.get();
    inputs = 1;
  }
}
