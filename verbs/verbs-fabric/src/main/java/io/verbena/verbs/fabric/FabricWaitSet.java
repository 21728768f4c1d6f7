package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A wait for several channels together. */
final class FabricWaitSet implements WaitSet {
  private final Fabric fabric;
  private final List<Member> members = new ArrayList<>();
  private @Nullable Runnable told;
  private final Timer limit = new Timer(this::tellNow);
  private boolean woken;
  private boolean open = true;

  private record Member(BooleanSupplier isOpen, Fabric.Condition isReady) {}

  FabricWaitSet(Fabric fabric) {
    this.fabric = fabric;
  }

  @Override
  public void add(RdmaEventChannel channel) throws VerbsException {
    add(new Member(channel::isOpen, ((FabricEventChannel) channel)::isReady));
  }

  @Override
  public void add(IbvCompChannel channel) throws VerbsException {
    add(new Member(channel::isOpen, ((FabricCompChannel) channel)::isReady));
  }

  @Override
  public void add(IbvContext context) throws VerbsException {
    add(new Member(() -> true, ((FabricContext) context)::hasAsyncEvent));
  }

  private void add(Member member) throws VerbsException {
    synchronized (fabric.lock) {
      use();
      members.add(member);
      look();
    }
  }

  @Override
  public boolean await(long timeoutNanos) throws IOException {
    if (timeoutNanos < 0) {
      throw new IllegalArgumentException("A wait of " + timeoutNanos + " ns; at least 0");
    }
    fabric.pause(timeoutNanos);
    synchronized (fabric.lock) {
      use();
      removeClosed();
      boolean ready = fabric.await(timeoutNanos, this::isReady);
      woken = false;
      return ready;
    }
  }

  @Override
  public boolean tell(long timeoutNanos, Runnable ready) throws IOException {
    synchronized (fabric.lock) {
      if (!fabric.isSimulated()) {
        return false;
      }
      use();
      told = ready;
      fabric.telling(this);
      if (isReady()) {
        woken = false;
        tellNow();
      } else if (timeoutNanos < Long.MAX_VALUE / 2) {
        fabric.at(fabric.nanoTime() + timeoutNanos, limit);
      } else {
        fabric.cancel(limit);
      }
      return true;
    }
  }

  /** Wakes the waiting thread if a channel is ready. Called under the fabric's lock. */
  void look() {
    if (told == null) {
      return;
    }
    removeClosed();
    boolean ready;
    try {
      ready = isReady();
    } catch (IOException e) {
      ready = true; // the next check of the channel throws
    }
    if (ready) {
      woken = false;
      tellNow();
    }
  }

  private void tellNow() {
    Runnable ready = told;
    told = null;
    fabric.cancel(limit);
    if (ready != null) {
      ready.run();
    }
  }

  @Override
  public void wakeup() {
    synchronized (fabric.lock) {
      woken = true;
      fabric.wakeWaiters();
    }
  }

  @Override
  public void close() {
    synchronized (fabric.lock) {
      open = false;
      told = null;
      fabric.cancel(limit);
      fabric.stopNotifying(this);
    }
  }

  private void use() throws VerbsException {
    if (!open) {
      throw VerbsException.closed("epoll_wait", "The wait set");
    }
  }

  private void removeClosed() {
    members.removeIf(member -> !member.isOpen.getAsBoolean());
  }

  private boolean isReady() throws IOException {
    if (woken) {
      return true;
    }
    for (Member member : members) {
      if (member.isOpen.getAsBoolean() && member.isReady.holds()) {
        return true;
      }
    }
    return false;
  }
}
