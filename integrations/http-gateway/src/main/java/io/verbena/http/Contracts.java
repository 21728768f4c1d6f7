package io.verbena.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.verbena.api.RpcStatus;
import io.verbena.api.settings.Spelling;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.codec.json.JsonMethod;
import io.verbena.codec.json.MethodNames;
import io.verbena.codec.json.Shapes;
import io.verbena.core.LocalSessions;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The contracts that a server serves, by the service names in paths. Safe for use by any thread.
 */
final class Contracts {
  /** So many names are told if there are more; otherwise all. */
  private static final int MOST_NEAR = 3;

  private static final int MOST_TOLD = 12;

  /** The compared length of a name from a client. */
  private static final int LONGEST_NAME = 100;

  private final LocalSessions sessions;
  private final Map<String, Contract> byName = new TreeMap<>();
  private volatile @Nullable ObjectNode document;
  private volatile @Nullable ObjectNode documentWithText;

  /** A contract, with its types and the names of its methods. */
  private record Contract(
      ServiceDescriptor<?> service,
      Shapes shapes,
      MethodNames names,
      Map<Integer, AnswerLength> answers) {
    Contract(ServiceDescriptor<?> service) {
      this(
          service,
          new Shapes(service.schema()),
          new MethodNames(service.schema()),
          new ConcurrentHashMap<>());
    }

    Schema schema() {
      return service.schema();
    }

    long timeoutNanos(int method) {
      return service.methods().stream()
          .filter(one -> one.id() == method)
          .mapToLong(MethodDescriptor::timeoutNanos)
          .findAny()
          .orElse(0);
    }
  }

  /**
   * A method, to be called once.
   *
   * @param answers what its answers have taken
   * @param timeout the time limit of calls without one of their own
   */
  record Method(JsonMethod json, AnswerLength answers, Duration timeout) {}

  Contracts(LocalSessions sessions) {
    this.sessions = sessions;
    for (ServiceDescriptor<?> service : sessions.services()) {
      byName.put(service.name(), new Contract(service));
    }
  }

  LocalSessions sessions() {
    return sessions;
  }

  /**
   * Returns a method, to be called once.
   *
   * @throws Problem if there is none; the message suggests similar names
   */
  Method method(String service, String method) throws Problem {
    Contract contract = byName.get(service);
    if (contract == null) {
      throw unknown("the server has no service '%s'".formatted(service), service, byName.keySet());
    }
    List<Schema.Method> found = contract.names().find(method);
    if (found.size() > 1) {
      String told =
          sessions.tellsContracts()
              ? String.join(", ", contract.names().of(found))
              : "choose one, as METHOD%23ID";
      throw unknown("%s has several '%s': %s".formatted(service, method, told), method, List.of());
    }
    if (found.isEmpty()) {
      String why = "%s has no method '%s'".formatted(service, method);
      throw unknown(why, method, contract.names().of(contract.schema().methods()));
    }
    Schema.Method one = found.getFirst();
    try {
      long nanos = contract.timeoutNanos(one.id());
      return new Method(
          new JsonMethod(contract.schema(), contract.shapes(), one, nanos),
          contract.answers().computeIfAbsent(one.id(), id -> new AnswerLength()),
          nanos == 0 ? sessions.defaultTimeout() : Duration.ofNanos(nanos));
    } catch (WireException e) {
      throw new Problem(
          HttpResponseStatus.NOT_IMPLEMENTED,
          RpcStatus.UNIMPLEMENTED,
          String.valueOf(e.getMessage()));
    }
  }

  private Problem unknown(String why, String name, Collection<String> all) {
    List<String> near = sessions.tellsContracts() ? near(name, all) : List.of();
    String told = near.isEmpty() ? why : why + "; there is " + String.join(", ", near);
    if (!near.isEmpty() && near.size() < all.size()) {
      told += ", and %d more, which GET /openapi.json lists".formatted(all.size() - near.size());
    }
    return new Problem(HttpResponseStatus.NOT_FOUND, RpcStatus.UNIMPLEMENTED, told);
  }

  /** Returns all names if they are few, or those most similar to one; the most similar first. */
  private static List<String> near(String name, Collection<String> all) {
    String lower = name.toLowerCase(Locale.ROOT);
    String sought = lower.substring(0, Math.min(lower.length(), LONGEST_NAME));
    Comparator<String> byDistance =
        Comparator.comparingInt(one -> Spelling.distance(sought, one.toLowerCase(Locale.ROOT)));
    int told = all.size() <= MOST_TOLD ? all.size() : MOST_NEAR;
    return all.stream().sorted(byDistance).limit(told).toList();
  }

  /**
   * Returns the OpenAPI document of all services.
   *
   * @param longsAsText whether long numbers are text in answers
   * @param prefix what a proxy has removed from paths; empty for nothing
   * @throws Problem if the server does not tell its contracts
   */
  ObjectNode document(boolean longsAsText, String prefix) throws Problem {
    if (!sessions.tellsContracts()) {
      throw new Problem(
          HttpResponseStatus.FORBIDDEN,
          RpcStatus.PERMISSION_DENIED,
          "the server does not tell its contracts: it has an authenticator, and tellContracts is not set to true");
    }
    ObjectNode known = longsAsText ? documentWithText : document;
    if (known == null) {
      List<Schema> schemas = byName.values().stream().map(Contract::schema).toList();
      known = new OpenApi(schemas, longsAsText).document();
      if (longsAsText) {
        documentWithText = known;
      } else {
        document = known;
      }
    }
    ObjectNode located = known.objectNode().setAll(known);
    located.putArray("servers").addObject().put("url", prefix.isEmpty() ? "/" : prefix);
    return located;
  }
}
