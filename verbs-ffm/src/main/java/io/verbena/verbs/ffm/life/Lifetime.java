package io.verbena.verbs.ffm.life;

import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Guards one native object: it is freed only when no call is inside it and nothing stands on it,
 * and every use after that is an exception instead of a SIGSEGV.
 *
 * <pre>
 *   state, 64 bits:  closed:1  freed:1  dependents:30  users:32
 * </pre>
 *
 * <p>A use is two atomic additions and allocates nothing. Any thread.
 */
public final class Lifetime {
  private static final long CLOSED = 1L << 63;
  private static final long FREED = 1L << 62;
  private static final long DEPENDENT = 1L << 32;
  private static final long USERS = DEPENDENT - 1;
  private static final long DEPENDENTS = FREED - DEPENDENT;
  private static final long CLOSE_CHECK_NANOS = 50_000;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Lifetime.class, "state", long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final String object;
  private final String dependents;
  private final Use use = new Use();

  @SuppressWarnings("unused") // by STATE
  private volatile long state;

  private volatile Free deferred = () -> {};

  /**
   * @param object what it is, for messages, such as {@code "the completion queue"}
   * @param dependents what may stand on it, for messages, such as {@code "queue pairs"}
   */
  public Lifetime(String object, String dependents) {
    this.object = object;
    this.dependents = dependents;
  }

  /** Frees the native object. */
  public interface Free {
    /** Called once, when nobody is inside and nothing stands on it. */
    void run() throws IOException;
  }

  /** Makes something that stands on the object. */
  public interface Maker<T> {
    /** Called once, and makes nothing where it fails. */
    T make() throws IOException;
  }

  /** Wakes the calls that wait inside the object. */
  public interface Wake {
    /** Called once, after the object was closed to new calls. */
    void run() throws IOException;
  }

  /** One call that is inside the object; close it when the call is over. */
  public final class Use implements AutoCloseable {
    private Use() {}

    @Override
    public void close() {
      STATE.getAndAdd(Lifetime.this, -1L);
    }
  }

  /** Enters the object for one call; fails with EBADF once it is closed. */
  public Use use(String call) throws VerbsException {
    if (((long) STATE.getAndAdd(this, 1L) & CLOSED) != 0) {
      use.close();
      throw VerbsException.closed(call, object);
    }
    return use;
  }

  /** Notes that something now stands on the object; fails with EBADF once it is closed. */
  public void addDependent(String call) throws VerbsException {
    if (((long) STATE.getAndAdd(this, DEPENDENT) & CLOSED) != 0) {
      STATE.getAndAdd(this, -DEPENDENT);
      throw VerbsException.closed(call, object);
    }
  }

  /** Makes something that then stands on the object; fails with EBADF once it is closed. */
  public <T> T make(String call, Maker<T> maker) throws IOException {
    addDependent(call);
    try {
      return maker.make();
    } catch (IOException | RuntimeException failed) {
      removeDependent();
      throw failed;
    }
  }

  /**
   * Notes that something no longer stands on it; frees it when it was retired and this was last.
   */
  public void removeDependent() throws IOException {
    STATE.getAndAdd(this, -DEPENDENT);
    freeIfRetired();
  }

  /** Whether it may still be used; a snapshot. */
  public boolean isOpen() {
    return (state & CLOSED) == 0;
  }

  /**
   * Closes and frees the object. Fails with EBADF when it is closed already and with EBUSY while
   * something stands on it. Where freeing fails the object is open again.
   */
  public void close(String call, Free free) throws IOException {
    close(call, () -> {}, free);
  }

  /**
   * The same for an object in which calls may wait for long.
   *
   * @param wake makes the calls that wait inside return
   */
  public void close(String call, Wake wake, Free free) throws IOException {
    markClosed(call, false);
    wake.run();
    awaitUsers();
    boolean freed = false;
    try {
      free.run();
      freed = true;
    } finally {
      STATE.getAndBitwiseXor(this, freed ? FREED : CLOSED);
    }
  }

  /**
   * Closes the object to its users at once, and frees it as soon as nothing stands on it any more.
   * Fails with EBADF when it is closed already.
   *
   * @param wake makes the calls that wait inside return
   */
  public void retire(String call, Wake wake, Free free) throws IOException {
    deferred = free;
    markClosed(call, true);
    wake.run();
    awaitUsers();
    freeIfRetired();
  }

  private void markClosed(String call, boolean withDependents) throws VerbsException {
    while (true) {
      long now = state;
      if ((now & CLOSED) != 0) {
        throw VerbsException.closed(call, object);
      }
      if (!withDependents && (now & DEPENDENTS) != 0) {
        throw VerbsException.inUse(call, object, count(now) + " of its " + dependents);
      }
      if (STATE.compareAndSet(this, now, now | CLOSED)) {
        return;
      }
    }
  }

  private static long count(long state) {
    return (state & DEPENDENTS) / DEPENDENT;
  }

  /** Calls inside are short, or were woken by whoever closes. */
  private void awaitUsers() {
    for (int spins = 0; (state & USERS) != 0; spins++) {
      if (spins < 1000) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, CLOSE_CHECK_NANOS);
      }
    }
  }

  /** Of all who find the object closed and deserted, the first one frees it. */
  private void freeIfRetired() throws IOException {
    while (true) {
      long now = state;
      if ((now & (CLOSED | FREED | DEPENDENTS)) != CLOSED) {
        return;
      }
      if ((now & USERS) != 0) {
        Thread.onSpinWait();
      } else if (STATE.compareAndSet(this, now, now | FREED)) {
        deferred.run();
        return;
      }
    }
  }
}
