package io.verbena.http;

import io.verbena.api.Streams;
import java.util.Collections;
import java.util.concurrent.Flow;

/** Serves {@link Every}: returns what it is given. */
final class EchoEvery implements Every {
  @Override
  public Numbers numbers(Numbers value) {
    return value;
  }

  @Override
  public Times times(Times value) {
    return value;
  }

  @Override
  public Containers containers(Containers value) {
    return value;
  }

  @Override
  public Figure figure(Figure value) {
    return value;
  }

  @Override
  public void fail(boolean first) throws Lost, Broken {
    if (first) {
      throw new Lost("it is lost");
    }
    throw new Broken("it is broken");
  }

  @Override
  public Flow.Publisher<Numbers> stream(Numbers value, int count) {
    return Streams.of(Collections.nCopies(count, value));
  }

  @Override
  public double half(double value) {
    return value / 2;
  }

  @Override
  public byte[] bytes(byte[] value) {
    return value;
  }

  @Override
  public Like_It likeIt(LikeIt value) {
    return new Like_It("number " + value.number());
  }

  @Override
  public Tree tree(Tree value) {
    return value;
  }
}
