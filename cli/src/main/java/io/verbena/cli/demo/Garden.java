package io.verbena.cli.demo;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.ObjectRef;
import java.util.List;

/** What the demonstration's server serves. */
@RpcService(name = "garden.v1")
interface Garden {
  /**
   * Returns a plant.
   *
   * @throws NoSuchPlant if none has this name
   */
  @RpcMethod(id = 1, idempotent = true)
  Plant find(String name) throws NoSuchPlant;

  /** Returns the names of all plants. Short, so it runs on the event loop. */
  @RpcMethod(id = 2, idempotent = true, nonBlocking = true)
  List<String> names();

  /** Waters a plant; nobody waits for it. */
  @RpcMethod(id = 3, oneway = true)
  void water(String name);

  /** Returns how often plants were watered. */
  @RpcMethod(id = 4, idempotent = true)
  int waterings();

  /** Tells the caller's {@link Gardener} of every plant; returns how many answers came back. */
  @RpcMethod(id = 5)
  int tour();

  /** Waits for a flower, which takes longer than anybody waits. */
  @RpcMethod(id = 6, idempotent = true, timeout = "100ms")
  Plant awaitFlower();

  /** Returns how many waits for a flower were given up because their caller had. */
  @RpcMethod(id = 7, idempotent = true)
  int waitsGivenUp();

  /** Returns a picture of the garden, which is far larger than a message: it is to be fetched. */
  @RpcMethod(id = 8, idempotent = true)
  Picture picture();

  /**
   * A picture.
   *
   * @param object its bytes
   * @param crc32c checksum of them
   */
  record Picture(ObjectRef object, int crc32c) {}

  /** A plant. */
  record Plant(String name, int heightCm, List<String> colours) {}
}
