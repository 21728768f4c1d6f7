package io.verbena.codec.kryo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A graph with cycles, over a hierarchy that anybody may extend. */
public final class Drawing {
  String title = "";
  final List<Shape> shapes = new ArrayList<>();
  final Map<String, Shape> named = new LinkedHashMap<>();
  int @Nullable [] palette;

  /** Each drawable value. */
  public interface Shape {}

  /** A shape without others in it. */
  public static final class Circle implements Shape {
    Point centre = new Point(0, 0);
    double radius;
    Colour colour = Colour.RED;
  }

  /** Knows those within it, which know it. */
  public static class Group implements Shape {
    @Nullable Group parent;
    Shape[] members = {};
  }

  /** Nobody has registered it. */
  public static final class Stranger implements Shape {}

  /** Takes nothing but what is positive. */
  public record Point(int x, int y) {
    /** Checks both. */
    public Point {
      if (x < 0 || y < 0) {
        throw new IllegalArgumentException("a point is off the paper");
      }
    }
  }

  /** An enum with a constant that is a class of its own. */
  public enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "green";
      }
    }
  }

  static Drawing sample() {
    Circle circle = new Circle();
    circle.centre = new Point(3, 4);
    circle.radius = 5.5;
    circle.colour = Colour.GREEN;
    Group outer = new Group();
    Group inner = new Group();
    inner.parent = outer;
    outer.members = new Shape[] {inner, circle};
    Drawing drawing = new Drawing();
    drawing.title = "Grüße aus dem Atelier, where the paint is wet";
    drawing.shapes.addAll(List.of(outer, circle));
    drawing.named.put("the circle", circle);
    drawing.palette = new int[] {1, -2, 300_000};
    return drawing;
  }
}
