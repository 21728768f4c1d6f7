package io.verbena.cli.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.PinningCost;
import io.verbena.core.link.PinningCosts;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Wherever a way is chosen that looks slower, it is said why, and nowhere else. */
class ChoiceTest {
  private static final PinningCosts DEAR =
      new PinningCosts(new PinningCost(30_000, 90), new PinningCost(30_000, 900));
  private static final Costs TCP = new Costs(0.05, PinningCosts.NONE, 20_000);
  private static final List<Costs> PATHS =
      List.of(
          TCP,
          new Costs(0.05, DEAR, 3_000),
          new Costs(0.4, DEAR, 100),
          new Costs(0.001, PinningCosts.NONE, 900_000));
  private static final List<CutOffs> SET =
      List.of(
          new CutOffs(CutOffs.MEASURED, CutOffs.MEASURED),
          new CutOffs(4 << 10, CutOffs.MEASURED),
          new CutOffs(CutOffs.MEASURED, 1),
          new CutOffs(1 << 20, 8 << 20));

  private static boolean looksSlower(Costs costs, String way, int bytes) {
    double inMessage = CutOffs.inMessageNanos(costs, bytes);
    double pooled = CutOffs.pooledNanos(costs, bytes);
    double inPlace = CutOffs.inPlaceNanos(costs, costs.pinning().warm(), bytes);
    double chosen =
        switch (way) {
          case "in message" -> inMessage;
          case "pooled" -> pooled;
          default -> inPlace;
        };
    return chosen > Math.min(inMessage, Math.min(pooled, inPlace));
  }

  @Test
  void whatLooksSlowerSaysWhyItIsChosen() {
    for (Costs costs : PATHS) {
      for (CutOffs set : SET) {
        CutOffs cutOffs = CutOffs.of(costs).unless(set);
        for (int bytes : Reading.LENGTHS) {
          Choice choice = Choice.of(costs, cutOffs, bytes);
          assertThat(choice.why() != null)
              .as("%d bytes, %s, %s: %s", bytes, costs, cutOffs, choice)
              .isEqualTo(looksSlower(costs, choice.way(), bytes));
        }
      }
    }
  }

  @Test
  void theReasonIsTheOneThatDecides() {
    assertThat(Choice.of(TCP, CutOffs.of(TCP), 256 << 10).why()).contains("outside the heap");
    CutOffs set = CutOffs.of(TCP).unless(new CutOffs(64 << 20, CutOffs.MEASURED));
    assertThat(Choice.of(TCP, set, 16 << 20))
        .isEqualTo(new Choice("in message", "partCutOffBytes is set"));
    Costs slowLine = PATHS.getLast();
    assertThat(Choice.of(slowLine, CutOffs.of(slowLine), 4 << 20).why()).contains("small calls");
  }
}
