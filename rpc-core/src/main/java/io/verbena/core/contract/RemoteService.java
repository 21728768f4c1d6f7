package io.verbena.core.contract;

import io.verbena.api.stub.Schema;
import io.verbena.codec.Compatibility;
import io.verbena.core.frame.OfferedService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/** A service of the peer's, and what waits until it is known how the contracts fit. */
final class RemoteService {
  static final int NO_METHOD = -1;

  /** What a service takes here, about, beside its name and its methods. */
  private static final int BYTES = 512;

  private static final int BYTES_OF_METHOD = 24;

  String name;
  long hash;
  final List<ContractCall> calls = new ArrayList<>();
  final List<CompletableFuture<List<String>>> checks = new ArrayList<>();

  /** Who wants to read the peer's schema itself, and has yet to be answered. */
  final List<CompletableFuture<Schema>> readers = new ArrayList<>();

  boolean asked;

  /** The peer has not told of it, and perhaps does not serve it. */
  private boolean sought = true;

  private final Int2IntHashMap places = new Int2IntHashMap(NO_METHOD);

  /** Null until it is known. */
  private @Nullable Compatibility found;

  /** One that the peer has not told of. */
  RemoteService(String name) {
    this.name = name;
  }

  /** The peer has told of it; what was asked and waits goes on. */
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

  boolean isSought() {
    return sought;
  }

  /** Returns how many bytes of the heap one takes, as long as its peer is there. */
  static long bytes(OfferedService offered) {
    return BYTES
        + (long) Character.BYTES * offered.name().length()
        + (long) BYTES_OF_METHOD * offered.methods().size();
  }

  /** Returns the place that names a method to the peer, or {@link #NO_METHOD}. */
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

  /** Ends what waits for a peer that is gone; calls go to the next. */
  List<ContractCall> lost() {
    checks.forEach(check -> check.cancel(false));
    checks.clear();
    readers.forEach(reader -> reader.cancel(false));
    readers.clear();
    return calls;
  }
}
