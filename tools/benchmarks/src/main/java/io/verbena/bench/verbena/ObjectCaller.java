package io.verbena.bench.verbena;

import io.verbena.api.Session;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Messages;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Moves large objects. Each call is one transfer, from or to its own spot. */
final class ObjectCaller implements Caller {
  private final Session session;
  private final Load load;
  private final ObjectRef ref;
  private final TransferOptions options;
  private final byte[] content;
  private final boolean isWarm;
  private final boolean toFile;
  private final boolean extraCopy;
  private final boolean isChecked;
  private final Queue<Spot> free = new ConcurrentLinkedQueue<>();

  ObjectCaller(Session session, Load load, boolean extraCopy) {
    this.extraCopy = extraCopy;
    this.session = session;
    this.load = load;
    boolean fromFile = load.memory() == Memory.FILE || load.memory() == Memory.FILES;
    this.ref = BenchControlRpc.client(session).object(load.size(), fromFile);
    // By default objects move at raw speed like those of rivals, by the kernel if possible.
    this.options =
        load.checksum()
            ? TransferOptions.DEFAULT.withChecksum()
            : TransferOptions.DEFAULT.withoutChecksum();
    this.content = Messages.of(load.size());
    this.isChecked = load.validate() && load.kind() == Kind.FETCH;
    this.isWarm = load.memory() != Memory.COLD;
    this.toFile = load.memory() == Memory.FILES;
    for (int i = 0; isWarm && i < load.outstanding(); i++) {
      free.add(new Spot(load, content));
    }
  }

  @Override
  public void start(Call call) {
    Spot spot = isWarm ? free.remove() : new Spot(load, content);
    if (extraCopy) {
      spot.copy();
    }
    if (isChecked) {
      spot.clear();
    }
    Transfer transfer =
        load.kind() == Kind.FETCH
            ? session.objects().fetch(ref, spot.landing(), options)
            : session.objects().push(Arrivals.name(toFile, call.number()), spot.source(), options);
    transfer
        .result()
        .whenComplete(
            (received, failure) -> {
              if (failure != null) {
                call.failed(failure);
              } else {
                ended(call, received, spot);
              }
            });
  }

  private void ended(Call call, Received received, Spot spot) {
    received.close();
    long wrong = isChecked ? spot.mismatch() : -1;
    if (isWarm) {
      free.add(spot); // the end of the call may start the next one at once
    } else {
      spot.close();
    }
    if (wrong >= 0) {
      call.failed(new IllegalStateException("an object is wrong from byte " + wrong));
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
    free.forEach(Spot::close);
  }
}
