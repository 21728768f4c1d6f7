package io.verbena.simulation;

import io.verbena.api.CallContext;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.contract.Guide;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.world.SimHost;
import java.util.concurrent.Flow;

/** The handler of a simulated client for calls of its server. */
record GuideHandler(Journal journal, Streams streams, SimHost host) implements Guide {
  private void executed(long op) {
    journal.executed(op, "client", CallContext.current().session(), -1);
  }

  @Override
  public long stop(long op) {
    executed(op);
    return Content.answer(op);
  }

  @Override
  public Flow.Publisher<Item> watch(long op) {
    executed(op);
    return streams.answer(op, host);
  }

  @Override
  public long collect(long op, Flow.Publisher<Item> items) {
    executed(op);
    return streams.collect(op, items, host);
  }

  @Override
  public Flow.Publisher<Item> exchange(long op, Flow.Publisher<Item> items) {
    executed(op);
    return streams.exchange(op, items, host);
  }
}
