package io.verbena.cli.demo;

import io.verbena.api.CallContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The garden itself. Safe for use by any thread. */
final class DemoGarden implements Garden {
  private final Map<String, Plant> plants = new LinkedHashMap<>();
  private final AtomicInteger waterings = new AtomicInteger();
  private final AtomicInteger waitsGivenUp = new AtomicInteger();

  DemoGarden() {
    plant(new Plant("verbena", 30, List.of("violet", "white", "red")));
    plant(new Plant("rose", 120, List.of("red")));
    plant(new Plant("fern", 60, List.of()));
  }

  private void plant(Plant plant) {
    plants.put(plant.name(), plant);
  }

  @Override
  public Plant find(String name) throws NoSuchPlant {
    Plant plant = plants.get(name);
    if (plant == null) {
      throw new NoSuchPlant("no '" + name + "' grows here");
    }
    return plant;
  }

  @Override
  public List<String> names() {
    return List.copyOf(plants.keySet());
  }

  @Override
  public void water(String name) {
    waterings.incrementAndGet();
  }

  @Override
  public int waterings() {
    return waterings.get();
  }

  @Override
  public int tour() {
    Gardener caller = GardenerRpc.client(CallContext.current().session());
    plants.values().forEach(caller::look);
    return plants.size();
  }

  @Override
  public Plant awaitFlower() {
    CountDownLatch flowers = new CountDownLatch(1);
    try {
      flowers.await();
      throw new IllegalStateException("nothing makes it flower");
    } catch (InterruptedException e) {
      waitsGivenUp.incrementAndGet();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the caller gave up", e);
    }
  }

  @Override
  public int waitsGivenUp() {
    return waitsGivenUp.get();
  }
}
