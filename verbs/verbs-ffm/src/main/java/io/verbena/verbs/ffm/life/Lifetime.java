package io.verbena.verbs.ffm.life;

import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Guards one native object. The object is freed only when no call uses it and it has no dependents.
 * Every later use throws an exception in place of a SIGSEGV.
 *
 * <pre>
 *   state, 64 bits:  closed:1  freed:1  dependents:30  users:32
 * </pre>
 *
 * <p>A use costs two atomic additions and no allocation. Safe for use by any thread.
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

  private volatile Step deferred = () -> {};

  /**
   * Makes the lifetime of an open object.
   *
   * @param object the name of the object for messages, such as {@code "the completion queue"}
   * @param dependents the name of its dependents for messages, such as {@code "queue pairs"}
   */
  public Lifetime(String object, String dependents) {
    this.object = object;
    this.dependents = dependents;
  }

  /** A step at the end of the native object, such as to free it. */
  public interface Step {
    /** Called once. */
    void run() throws IOException;
  }

  /** Makes a dependent of the object. */
  public interface Maker<T> {
    /** Called once. Makes nothing if it fails. */
    T make() throws IOException;
  }

  /** One call that uses the object. The caller closes it at the end of the call. */
  public final class Use implements AutoCloseable {
    private Use() {}

    @Override
    public void close() {
      STATE.getAndAdd(Lifetime.this, -1L);
    }
  }

  /** Begins the use of the object for one call. Fails with EBADF after the object is closed. */
  public Use use(String call) throws VerbsException {
    if (((long) STATE.getAndAdd(this, 1L) & CLOSED) != 0) {
      use.close();
      throw VerbsException.closed(call, object);
    }
    return use;
  }

  /** Adds a dependent. Fails with EBADF after the object is closed. */
  public void addDependent(String call) throws VerbsException {
    if (((long) STATE.getAndAdd(this, DEPENDENT) & CLOSED) != 0) {
      STATE.getAndAdd(this, -DEPENDENT);
      throw VerbsException.closed(call, object);
    }
  }

  /** Makes a dependent and adds it. Fails with EBADF after the object is closed. */
  public <T> T make(String call, Maker<T> maker) throws IOException {
    addDependent(call);
    try {
      return maker.make();
    } catch (IOException | RuntimeException failed) {
      removeDependent();
      throw failed;
    }
  }

  /** Removes a dependent. Frees the object if it was retired and this was the last dependent. */
  public void removeDependent() throws IOException {
    STATE.getAndAdd(this, -DEPENDENT);
    freeIfRetired();
  }

  /** Returns whether the object was open at the time of the call. */
  public boolean isOpen() {
    return (state & CLOSED) == 0;
  }

  /**
   * Closes and frees the object. Fails with EBADF if it is closed already, and with EBUSY while it
   * has dependents. If freeing fails, the object is open again.
   */
  public void close(String call, Step free) throws IOException {
    close(call, () -> {}, free);
  }

  /**
   * Closes and frees an object on which calls may wait for long.
   *
   * @param wake makes the waiting calls return
   */
  public void close(String call, Step wake, Step free) throws IOException {
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
   * Closes the object to its users at once, and frees it as soon as it has no dependents. Fails
   * with EBADF if it is closed already.
   *
   * @param wake makes the waiting calls return
   */
  public void retire(String call, Step wake, Step free) throws IOException {
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

  /** Waits for the users. Their calls are short, or the closing thread has woken them. */
  private void awaitUsers() {
    for (int spins = 0; (state & USERS) != 0; spins++) {
      if (spins < 1000) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, CLOSE_CHECK_NANOS);
      }
    }
  }

  /** Frees a retired object without users and dependents. The first of several threads does it. */
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
