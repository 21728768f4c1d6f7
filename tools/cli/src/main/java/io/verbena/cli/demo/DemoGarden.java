package io.verbena.cli.demo;

import io.verbena.api.CallContext;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/** The implementation of the service. Safe for use by any thread. */
final class DemoGarden implements Garden {
  private static final long PICTURE_BYTES = 64 << 20;

  /**
   * The stripe is repeated, because a new JVM generates random bytes slowly, most of all on an
   * emulated machine.
   */
  private static final int STRIPE_BYTES = 1 << 20;

  private static final Duration PICTURE_LEASE = Duration.ofMinutes(1);

  private final Map<String, Plant> plants = new LinkedHashMap<>();
  private final AtomicInteger waterings = new AtomicInteger();
  private final AtomicInteger waitsBegun = new AtomicInteger();
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
    waitsBegun.incrementAndGet();
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
  public Picture picture() {
    MemorySegment pixels = Arena.ofAuto().allocate(PICTURE_BYTES);
    byte[] stripe = new byte[STRIPE_BYTES];
    new SplittableRandom(PICTURE_BYTES).nextBytes(stripe);
    for (long at = 0; at < PICTURE_BYTES; at += STRIPE_BYTES) {
      MemorySegment.copy(stripe, 0, pixels, ValueLayout.JAVA_BYTE, at, STRIPE_BYTES);
      pixels.set(ValueLayout.JAVA_LONG, at, at); // makes each stripe different
    }
    CRC32C checksum = new CRC32C();
    checksum.update(pixels.asByteBuffer());
    Published published =
        CallContext.current().session().objects().publish(Source.of(pixels), PICTURE_LEASE);
    return new Picture(published.ref(), (int) checksum.getValue());
  }

  @Override
  public Waits waits() {
    int givenUp = waitsGivenUp.get(); // read first: no more than have begun
    return new Waits(waitsBegun.get(), givenUp);
  }
}
