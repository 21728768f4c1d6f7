package io.verbena.codec.kryo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/** The gallery of somebody who has changed the order of the classes. */
@RpcService(
    name = "gallery.v1",
    serializers = {ShuffledGallery.Shuffled.class, StatisticsSerializer.class})
public interface ShuffledGallery {
  @RpcMethod(id = 1)
  Drawing hang(Drawing drawing);

  @RpcMethod(id = 2)
  SummaryStatistics pick(List<SummaryStatistics> days, int day);

  /** Has groups before circles. */
  final class Shuffled extends KryoSerializer<Drawing> {
    /** What {@link DrawingSerializer} lists. */
    public Shuffled() {
      super(
          1,
          Drawing.class,
          Drawing.Group.class,
          Drawing.Circle.class,
          Drawing.Point.class,
          Drawing.Colour.class,
          Drawing.Shape[].class);
    }
  }
}
