package io.verbena.bench.jmh;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.codec.kryo.KryoSerializer;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The value that both serializers write.
 *
 * @param entries some tens of them
 */
record Catalogue(String title, List<Entry> entries) {
  /** A line of it. */
  record Entry(long id, String name, double price, List<String> words) {}

  /** A catalogue of so many entries. */
  static Catalogue of(int entries) {
    return new Catalogue(
        "spring",
        IntStream.range(0, entries)
            .mapToObj(i -> new Entry(i, "entry number " + i, i * 1.5, List.of("red", "blue")))
            .toList());
  }

  /** By generated code. */
  @RpcService(name = "catalogue.v1")
  interface Generated {
    @RpcMethod(id = 1)
    Catalogue echo(Catalogue catalogue);
  }

  /** By Kryo. */
  @RpcService(name = "catalogue.v1", serializers = ByKryo.class)
  interface Registered {
    @RpcMethod(id = 1)
    Catalogue echo(Catalogue catalogue);
  }

  /** Its serializer by Kryo. */
  static final class ByKryo extends KryoSerializer<Catalogue> {
    ByKryo() {
      super(1, Catalogue.class, Entry.class);
    }
  }
}
