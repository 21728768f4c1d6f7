package io.verbena.core.frame;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A service of one end, as the other end receives it. Calls identify a method by its index among
 * all methods of that end.
 *
 * @param schemaHash the hash of its schema; equal hashes mean equal contracts
 * @param firstPlace the index of its first method
 * @param methods the ids of its methods, in the order of their indices
 */
public record OfferedService(String name, long schemaHash, int firstPlace, List<Integer> methods) {
  private static final int LEAST_BYTES = 11;

  /** Returns the offer of a contract. */
  public static OfferedService of(ServiceDescriptor<?> service, int firstPlace) {
    return new OfferedService(
        service.name(),
        service.schema().hash(),
        firstPlace,
        service.methods().stream().map(MethodDescriptor::id).toList());
  }

  /** Returns the number of a service in requests for its schema. */
  public static int id(String name) {
    return name.hashCode();
  }

  public static void writeAll(WireOut out, Collection<OfferedService> services) {
    out.writeCount(services.size());
    for (OfferedService service : services) {
      out.writeString(service.name);
      out.writeLong(service.schemaHash);
      out.writeVarInt(service.firstPlace);
      out.writeCount(service.methods.size());
      service.methods.forEach(out::writeVarInt);
    }
  }

  public static List<OfferedService> readAll(WireIn in) {
    int count = in.readCount(LEAST_BYTES);
    List<OfferedService> services = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      services.add(new OfferedService(in.readString(), in.readLong(), in.readVarInt(), ids(in)));
    }
    services.forEach(OfferedService::check);
    return services;
  }

  private static List<Integer> ids(WireIn in) {
    int count = in.readCount(1);
    List<Integer> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(in.readVarInt());
    }
    return ids;
  }

  private void check() {
    if (firstPlace < 0 || firstPlace > FrameHeader.MOST_METHODS - methods.size()) {
      throw new WireException(
          "a service of " + methods.size() + " methods from place " + firstPlace);
    }
  }
}
