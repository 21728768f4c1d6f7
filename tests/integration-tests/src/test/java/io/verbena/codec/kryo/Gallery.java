package io.verbena.codec.kryo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/** A contract whose types only Kryo can take apart. */
@RpcService(
    name = "gallery.v1",
    serializers = {DrawingSerializer.class, StatisticsSerializer.class})
public interface Gallery {
  @RpcMethod(id = 1)
  Drawing hang(Drawing drawing);

  @RpcMethod(id = 2)
  SummaryStatistics pick(List<SummaryStatistics> days, int day);
}
