package io.verbena.codec.kryo;

/** All classes of a drawing, in an order that stays. */
public final class DrawingSerializer extends KryoSerializer<Drawing> {
  public DrawingSerializer() {
    super(
        1,
        Drawing.class,
        Drawing.Circle.class,
        Drawing.Group.class,
        Drawing.Point.class,
        Drawing.Colour.class,
        Drawing.Shape[].class);
  }
}
