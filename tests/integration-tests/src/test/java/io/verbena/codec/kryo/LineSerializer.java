package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.objenesis.strategy.StdInstantiatorStrategy;
import com.esotericsoftware.kryo.kryo5.util.DefaultInstantiatorStrategy;
import io.verbena.codec.kryo.KryoSerializerTest.Line;
import org.apache.commons.math3.geometry.euclidean.twod.Vector2D;

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
