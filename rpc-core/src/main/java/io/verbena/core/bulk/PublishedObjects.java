package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.stat.PublishedStat;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.MemoryLife;
import io.verbena.link.runtime.NanoClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The published objects of one client or server. An object is removed when its owner closes it, or
 * when no peer has fetched it for the time of its lease. Its memory stays pinned until then, or
 * until its last fetch ends. Safe for use by any thread.
 */
public final class PublishedObjects {
  private final ConcurrentHashMap<Long, PublishedObject> objects = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private final SecureRandom random = new SecureRandom();
  private volatile boolean closed;

  /**
   * Publishes an object.
   *
   * @param loop the loop of its lease
   * @param name its name; null: it gets a number
   */
  public Published publish(EventLoop loop, @Nullable String name, Source source, Duration lease) {
    return Release.begin(source, release -> publish(loop, name, source, release, lease));
  }

  private Published publish(
      EventLoop loop, @Nullable String name, Source source, Release release, Duration lease) {
    Checks.positive("lease", lease);
    AtomicBoolean here = new AtomicBoolean(true);
    OpenSource opened = OpenSource.open(source, MemoryLife.lentWhile(here::get));
    ObjectRef ref =
        name == null
            ? new ObjectRef(lastId.incrementAndGet(), random.nextLong(), opened.length())
            : ObjectRef.named(name, opened.length());
    PublishedObject shelved =
        new PublishedObject(
            ref, name, inWords(source), opened, release, here, loop, NanoClock.nanos(lease));
    if (objects.putIfAbsent(ref.id(), shelved) != null) {
      opened.close();
      throw new IllegalStateException(
          "an object with the name '" + name + "' is already published: close it first");
    }
    if (closed) { // another thread may have closed this before it could see the object
      shelved.close();
      throw new IllegalStateException(
          "the object cannot be published: the client or server is closed");
    }
    loop.execute(() -> shelved.watch(loop.now()));
    return shelved;
  }

  /** Returns the source of an object in words, for its owner. */
  public static String inWords(Source source) {
    return switch (source) {
      case Source.OfMemory memory -> "memory";
      case Source.OfFile file -> "file " + file.path();
      case Source.OfChannel file -> "open file";
      case Source.Generated made -> "generator";
      case Source.Gathered(List<Source> pieces) -> pieces.size() + " pieces";
      case Source.Counted counted -> inWords(counted.source());
    };
  }

  /**
   * Returns an object to be sent, in use until {@link PublishedObject#used}. Null if there is none.
   */
  public @Nullable PublishedObject use(long id, long key, Published.Fetch fetch) {
    PublishedObject found = objects.get(id);
    return found != null && found.ref.key() == key && found.use(fetch) ? found : null;
  }

  /** Returns the title of an object at this end: its name if that is known. */
  public String title(long id) {
    PublishedObject found = objects.get(id);
    String name = found == null ? null : found.name;
    return name == null ? titleElsewhere(id) : "object '" + name + "'";
  }

  public static String titleElsewhere(long id) {
    return id < 0 ? "named object " + Long.toHexString(id) : "object " + id;
  }

  public TransferProblem missing(long id) {
    if (id < 0 && objects.containsKey(id)) {
      return new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "the object with that name does not have the referenced length: get a new reference");
    }
    return new TransferProblem(
        RpcStatus.UNAVAILABLE,
        id < 0
            ? "no object with that name is published: not yet, or it was closed, or its lease ended"
            : "object "
                + id
                + " is not published: it never was, or was closed, or its lease ended");
  }

  /** Returns the published objects, oldest first. */
  public List<PublishedStat> stat() {
    return objects.values().stream()
        .map(PublishedObject::stat)
        .sorted(Comparator.comparingLong(PublishedStat::id))
        .toList();
  }

  public int size() {
    return objects.size();
  }

  public long bytes() {
    return objects.values().stream().mapToLong(one -> one.ref.length()).sum();
  }

  /** Removes all objects. No peer can be served any more. */
  public void close() {
    closed = true;
    objects.values().forEach(PublishedObject::close);
  }

  public final class PublishedObject implements Published {
    private final ObjectRef ref;
    private final @Nullable String name;
    private final String whence;
    private final OpenSource source;
    private final Release release;

    /** Whether it may be fetched. Set under the lock. */
    private final AtomicBoolean here;

    private final EventLoop loop;
    private final long leaseNanos;
    private final long since;
    private final Set<Fetch> fetches = new LinkedHashSet<>();
    private long lastUsed;

    /** The timer of the lease. Only the loop uses it. */
    private long timer = Timers.NONE;

    PublishedObject(
        ObjectRef ref,
        @Nullable String name,
        String whence,
        OpenSource source,
        Release release,
        AtomicBoolean here,
        EventLoop loop,
        long leaseNanos) {
      this.here = here;
      this.ref = ref;
      this.name = name;
      this.whence = whence;
      this.source = source;
      this.release = release;
      this.loop = loop;
      this.leaseNanos = leaseNanos;
      this.since = loop.clock().nanoTime();
      this.lastUsed = since;
    }

    @Override
    public ObjectRef ref() {
      return ref;
    }

    /** Returns a description that is unique on this machine. The peer does not receive it. */
    public String inWords() {
      return (name == null ? "" : "'" + name + "', ") + whence;
    }

    @Override
    public String toString() {
      return ref + " (" + inWords() + "), " + (isAvailable() ? "published" : "no longer published");
    }

    @Override
    public boolean isAvailable() {
      return here.get();
    }

    @Override
    public synchronized List<Fetch> fetches() {
      return List.copyOf(fetches);
    }

    public OpenSource source() {
      return source;
    }

    private synchronized PublishedStat stat() {
      long now = loop.clock().nanoTime();
      long idle = fetches.isEmpty() ? now - lastUsed : 0;
      return new PublishedStat(
          ref.id(),
          inWords(),
          ref.length(),
          fetches.size(),
          fetches.stream().map(fetch -> fetch.peer().address()).distinct().toList(),
          TimeUnit.NANOSECONDS.toSeconds(now - since),
          TimeUnit.NANOSECONDS.toSeconds(Math.max(0, leaseNanos - idle)));
    }

    private synchronized boolean use(Fetch fetch) {
      if (!here.get()) {
        return false;
      }
      fetches.add(fetch);
      return true;
    }

    /** Ends a transfer of the object. */
    public void used(Fetch fetch) {
      boolean last;
      synchronized (this) {
        fetches.remove(fetch);
        lastUsed = loop.clock().nanoTime();
        last = !here.get() && fetches.isEmpty();
      }
      free(last);
    }

    /**
     * Frees the source if nothing reads it or will read it. The owner's code runs without a lock.
     */
    private void free(boolean unused) {
      if (unused) {
        source.close();
        release.run();
      }
    }

    /** Ends the object if its lease has ended; otherwise looks again later. On the loop. */
    private void watch(long now) {
      long until;
      synchronized (this) {
        if (!here.get()) {
          return;
        }
        until = (fetches.isEmpty() ? lastUsed : now) + leaseNanos;
      }
      if (until - now <= 0) {
        close();
      } else {
        timer = loop.timers().schedule(until, this::watch);
      }
    }

    @Override
    public void close() {
      boolean unused;
      synchronized (this) {
        if (!here.getAndSet(false)) {
          return;
        }
        unused = fetches.isEmpty();
      }
      objects.remove(ref.id(), this);
      loop.execute(() -> loop.timers().cancel(timer)); // a pending timer would hold the memory
      free(unused);
    }
  }
}
