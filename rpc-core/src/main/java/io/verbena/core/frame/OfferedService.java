package io.verbena.core.frame;

import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A service that one end serves, as it tells the other.
 *
 * @param name the service's name
 * @param schemaHash equal hashes: the contracts are the same
 */
public record OfferedService(String name, long schemaHash) {
  private static final int LEAST_BYTES = 9;

  /** Returns what a contract is offered as. */
  public static OfferedService of(ServiceDescriptor<?> service) {
    return new OfferedService(service.name(), service.schema().hash());
  }

  /** Returns the number that stands for a service in requests. */
  public static int id(String name) {
    return name.hashCode();
  }

  /** Writes a list of services. */
  public static void writeAll(WireOut out, Collection<OfferedService> services) {
    out.writeCount(services.size());
    for (OfferedService service : services) {
      out.writeString(service.name);
      out.writeLong(service.schemaHash);
    }
  }

  /** Reads a list of services. */
  public static List<OfferedService> readAll(WireIn in) {
    int count = in.readCount(LEAST_BYTES);
    List<OfferedService> services = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      services.add(new OfferedService(in.readString(), in.readLong()));
    }
    return services;
  }
}
