package io.verbena.codec.kryo;

import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.apache.commons.math3.stat.descriptive.moment.GeometricMean;
import org.apache.commons.math3.stat.descriptive.moment.Mean;
import org.apache.commons.math3.stat.descriptive.moment.SecondMoment;
import org.apache.commons.math3.stat.descriptive.moment.Variance;
import org.apache.commons.math3.stat.descriptive.rank.Max;
import org.apache.commons.math3.stat.descriptive.rank.Min;
import org.apache.commons.math3.stat.descriptive.summary.Sum;
import org.apache.commons.math3.stat.descriptive.summary.SumOfLogs;
import org.apache.commons.math3.stat.descriptive.summary.SumOfSquares;

/** A class of another library, whose parts share a moment. */
public final class StatisticsSerializer extends KryoSerializer<SummaryStatistics> {
  public StatisticsSerializer() {
    super(
        2,
        SummaryStatistics.class,
        SecondMoment.class,
        Sum.class,
        SumOfSquares.class,
        SumOfLogs.class,
        Min.class,
        Max.class,
        Mean.class,
        GeometricMean.class,
        Variance.class);
  }
}
