package io.verbena.cli.demo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import java.util.List;

/** The service of the demonstration's server. */
@RpcService(name = "garden.v1")
interface Garden {
  /**
   * Returns a plant.
   *
   * @throws NoSuchPlant if none has this name
   */
  @RpcMethod(id = 1, idempotent = true)
  Plant find(String name) throws NoSuchPlant;

  /** Returns the names of all plants. The handler is short, so it runs on the event loop. */
  @RpcMethod(id = 2, idempotent = true, nonBlocking = true)
  List<String> names();

  /** Waters a plant. The caller does not wait. */
  @RpcMethod(id = 3, oneway = true)
  void water(String name);

  /** Returns how often plants were watered. */
  @RpcMethod(id = 4, idempotent = true)
  int waterings();

  /** Shows every plant to the caller's {@link Gardener}. Returns the number of answers. */
  @RpcMethod(id = 5)
  int tour();

  /** Waits for a flower. The deadline always passes first. */
  @RpcMethod(id = 6, idempotent = true, timeout = "100ms")
  Plant awaitFlower();

  /** Returns the numbers of waits for a flower. */
  @RpcMethod(id = 7, idempotent = true)
  Waits waits();

  /** Returns a picture of the garden. It is far larger than a message, so the caller fetches it. */
  @RpcMethod(id = 8, idempotent = true)
  Picture picture();

  /**
   * A picture.
   *
   * @param object the bytes
   * @param crc32c the checksum of the bytes
   */
  record Picture(ObjectRef object, int crc32c) {}

  /**
   * Waits for a flower.
   *
   * @param begun those that have begun
   * @param givenUp those of them that have ended because their caller gave up
   */
  record Waits(int begun, int givenUp) {}

  record Plant(String name, int heightCm, List<String> colours) {}
}
