package io.verbena.bench.verbena;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Messages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Moves large objects: each call is one transfer, from or into memory of its own. */
final class ObjectCaller implements Caller {
  private final Session session;
  private final Load load;
  private final ObjectRef ref;
  private final MemorySegment content;
  private final Arena arena = Arena.ofShared();
  private final Map<Call, MemorySegment> warm = new ConcurrentHashMap<>();
  private final @Nullable Path file;

  ObjectCaller(Session session, Load load) {
    this.session = session;
    this.load = load;
    boolean fromFile = load.memory() == Memory.FILE;
    this.ref = BenchControlRpc.client(session).object(load.size(), fromFile);
    byte[] bytes = Messages.of(load.size());
    this.content = MemorySegment.ofArray(bytes);
    try {
      this.file =
          fromFile && load.kind() == Kind.PUT
              ? Files.write(Files.createTempFile("verbena-bench", ".object"), bytes)
              : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void start(Call call) {
    Arena own = load.memory() == Memory.COLD ? Arena.ofShared() : null;
    MemorySegment memory =
        own == null ? warm.computeIfAbsent(call, c -> filled(arena)) : filled(own);
    Transfer transfer =
        load.kind() == Kind.FETCH
            ? session.objects().fetch(ref, Landing.of(memory))
            : session.objects().push("bench", source(memory));
    transfer
        .result()
        .whenComplete(
            (received, failure) -> {
              if (failure == null) {
                ended(call, received, memory);
              } else {
                call.failed(failure);
              }
              if (own != null) {
                own.close();
              }
            });
  }

  private MemorySegment filled(Arena from) {
    MemorySegment memory = from.allocate(load.size(), Long.BYTES);
    return load.kind() == Kind.PUT ? memory.copyFrom(content) : memory;
  }

  private Source source(MemorySegment memory) {
    try {
      return file == null ? Source.of(memory) : Source.file(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void ended(Call call, Received received, MemorySegment memory) {
    received.close();
    boolean checked = load.validate() && load.kind() == Kind.FETCH;
    long wrong = checked ? content.mismatch(memory) : -1;
    if (wrong >= 0) {
      call.failed(new IllegalStateException("an object is not what it was, from byte " + wrong));
    } else {
      call.answered(call.number());
    }
  }

  @Override
  public String path() {
    return session.path().toString();
  }

  @Override
  public void close() {
    session.close();
    arena.close();
    if (file != null) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
