package io.verbena.core.contract;

import io.verbena.api.stub.Schema;
import io.verbena.codec.Compatibility;
import io.verbena.core.frame.OfferedService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A service of the peer, and the calls that wait until the compatibility of the contracts is known.
 */
final class RemoteService {
  static final int NO_METHOD = -1;

  /** The approximate heap size of a service without its name and methods. */
  private static final int BYTES = 512;

  private static final int BYTES_OF_METHOD = 24;

  String name;
  long hash;
  final List<ContractCall> calls = new ArrayList<>();
  final List<CompletableFuture<List<String>>> checks = new ArrayList<>();

  /** Requests for the peer's schema that were not answered. */
  final List<CompletableFuture<Schema>> readers = new ArrayList<>();

  boolean asked;

  /** Whether the peer has not announced it, and may not serve it. */
  private boolean sought = true;

  private final Int2IntHashMap places = new Int2IntHashMap(NO_METHOD);

  /** The compatibility; null until it is known. */
  private @Nullable Compatibility found;

  /** Makes a service that the peer has not announced. */
  RemoteService(String name) {
    this.name = name;
  }

  /** Takes the peer's announcement. Waiting requests continue. */
  void told(OfferedService offered) {
    name = offered.name();
    hash = offered.schemaHash();
    sought = false;
    found = null;
    places.clear();
    int place = offered.firstPlace();
    for (int id : offered.methods()) {
      places.put(id, place++);
    }
  }

  /** Returns whether calls or users wait for the peer's answer. */
  boolean isAsked() {
    return !calls.isEmpty() || !checks.isEmpty() || !readers.isEmpty();
  }

  boolean isSought() {
    return sought;
  }

  /** Returns the heap size of a service while its peer is connected. */
  static long bytes(OfferedService offered) {
    return BYTES
        + (long) Character.BYTES * offered.name().length()
        + (long) BYTES_OF_METHOD * offered.methods().size();
  }

  /** Returns the peer's place of a method, or {@link #NO_METHOD}. */
  int place(int method) {
    return places.get(method);
  }

  @Nullable Compatibility found() {
    return found;
  }

  void found(Compatibility compatibility) {
    found = compatibility;
    checks.forEach(check -> check.complete(compatibility.problems()));
    checks.clear();
  }

  /** Ends the requests to a lost peer. Returns the calls, which go to the next one. */
  List<ContractCall> lost() {
    checks.forEach(check -> check.cancel(false));
    checks.clear();
    readers.forEach(reader -> reader.cancel(false));
    readers.clear();
    return calls;
  }
}
