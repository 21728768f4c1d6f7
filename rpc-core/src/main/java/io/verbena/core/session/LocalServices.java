package io.verbena.core.session;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.call.ReplySize;
import io.verbena.core.frame.OfferedService;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.collections.Hashing;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** The services that one end serves, by the ids that requests name them by. */
final class LocalServices {
  private static final int FEW = 8;

  /** Several loops may look through it at once, so that it keeps no iterators. */
  private final Int2ObjectHashMap<Served> served =
      new Int2ObjectHashMap<>(FEW, Hashing.DEFAULT_LOAD_FACTOR, false);

  /**
   * A service and its methods by id.
   *
   * @param offer what peers are told of it; made once, since its hash takes longer than the rest of
   *     a greeting
   */
  record Served(ServiceBinding binding, OfferedService offer, Int2ObjectHashMap<Method> methods) {}

  /** A method, and what is known of its replies in all sessions. */
  record Method(MethodDescriptor<?> descriptor, ReplySize replySize) {}

  /** Adds a service. */
  void add(ServiceBinding binding) {
    String name = binding.service().name();
    Served other = served.get(OfferedService.id(name));
    if (other != null) {
      String otherName = other.binding().service().name();
      throw new IllegalArgumentException(
          otherName.equals(name)
              ? "service " + name + " is served already"
              : "services " + name + " and " + otherName + " have the same id: rename one");
    }
    Int2ObjectHashMap<Method> methods = new Int2ObjectHashMap<>();
    for (MethodDescriptor<?> method : binding.service().methods()) {
      methods.put(method.id(), new Method(method, new ReplySize()));
    }
    served.put(
        OfferedService.id(name),
        new Served(binding, OfferedService.of(binding.service()), methods));
  }

  /** Adds all services of another table. */
  void addAll(LocalServices others) {
    served.putAll(others.served);
  }

  @Nullable Served get(int id) {
    return served.get(id);
  }

  /** Returns what to tell the peer. */
  List<OfferedService> offered() {
    List<OfferedService> offered = new ArrayList<>();
    served.values().forEach(one -> offered.add(one.offer()));
    return offered;
  }

  /** Returns the services' names, for a message. */
  String names() {
    return served.isEmpty()
        ? "no service"
        : served.values().stream()
            .map(one -> one.binding().service().name())
            .sorted()
            .collect(Collectors.joining(", "));
  }
}
