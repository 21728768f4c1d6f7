package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import io.verbena.codec.kryo.KryoSerializerTest.Line;
import org.apache.commons.math3.geometry.euclidean.twod.Vector2D;
import org.objenesis.strategy.StdInstantiatorStrategy;

/** Classes that have constructors with parameters alone. */
public final class LineSerializer extends KryoSerializer<Line> {
  public LineSerializer() {
    super(4, Line.class, Vector2D.class);
  }

  @Override
  protected void configure(Kryo kryo) {
    kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
  }
}
