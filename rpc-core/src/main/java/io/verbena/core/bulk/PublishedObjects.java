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
 * What one client or server has published. An object leaves when its owner closes it, or when
 * nobody has fetched it for its lease; its memory stays pinned no longer than that, or than it is
 * fetched. Safe for use by any thread.
 */
public final class PublishedObjects {
  private final ConcurrentHashMap<Long, PublishedObject> objects = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private final SecureRandom random = new SecureRandom();
  private volatile boolean closed;

  /**
   * Publishes an object.
   *
   * @param loop watches its lease
   * @param name its name; null: it has a number
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
          "an object is published by the name '" + name + "' already: close it first");
    }
    if (closed) { // by another thread maybe, which may not have seen this object
      shelved.close();
      throw new IllegalStateException(
          "nothing can be published here: the client or server is closed");
    }
    loop.execute(() -> shelved.watch(loop.now()));
    return shelved;
  }

  /** Returns where an object comes from, as its owner may know it. */
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
   * Returns an object to be sent, in use until {@link PublishedObject#used}; null if there is none.
   */
  public @Nullable PublishedObject use(long id, long key, Published.Fetch fetch) {
    PublishedObject found = objects.get(id);
    return found != null && found.ref.key() == key && found.use(fetch) ? found : null;
  }

  /** Returns what an object is called here: by its name, if it has one that is known. */
  public String title(long id) {
    PublishedObject found = objects.get(id);
    String name = found == null ? null : found.name;
    return name == null ? titleElsewhere(id) : "object '" + name + "'";
  }

  /** Returns what an object is called where its name is not known. */
  public static String titleElsewhere(long id) {
    return id < 0 ? "named object " + Long.toHexString(id) : "object " + id;
  }

  /** Returns why there is no object to be sent. */
  public TransferProblem missing(long id) {
    if (id < 0 && objects.containsKey(id)) {
      return new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "the object of that name has another length than the reference says: ask for a new one");
    }
    return new TransferProblem(
        RpcStatus.UNAVAILABLE,
        id < 0
            ? "no object of that name is published: not yet, or closed, or its lease is at an end"
            : "object " + id + " is not published: never, or closed, or its lease is at an end");
  }

  /** Returns what is published now, oldest first. */
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

  /** Takes back all of it: nobody can be served any more. */
  public void close() {
    closed = true;
    objects.values().forEach(PublishedObject::close);
  }

  /** One published object. */
  public final class PublishedObject implements Published {
    private final ObjectRef ref;
    private final @Nullable String name;
    private final String whence;
    private final OpenSource source;
    private final Release release;
    private final AtomicBoolean here;
    private final EventLoop loop;
    private final long leaseNanos;
    private final long since;
    private final Set<Fetch> fetches = new LinkedHashSet<>();
    private long lastUsed;
    private boolean closed;

    /** Of the lease; the loop's alone. */
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

    /** Returns what tells it from others on this machine: the peer does not hear of it. */
    public String inWords() {
      return (name == null ? "" : "'" + name + "', ") + whence;
    }

    @Override
    public String toString() {
      return ref + " (" + inWords() + "), " + (isAvailable() ? "published" : "published no more");
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
      if (closed) {
        return false;
      }
      fetches.add(fetch);
      return true;
    }

    /** A transfer of it is over. */
    public void used(Fetch fetch) {
      boolean last;
      synchronized (this) {
        fetches.remove(fetch);
        lastUsed = loop.clock().nanoTime();
        last = closed && fetches.isEmpty();
      }
      free(last);
    }

    /**
     * Lets go of the source when nobody reads it, or will; its owner's code runs without a lock.
     */
    private void free(boolean unused) {
      if (unused) {
        source.close();
        release.run();
      }
    }

    /** Looks whether the lease is at its end, and again when it may be. On the loop. */
    private void watch(long now) {
      long until;
      synchronized (this) {
        if (closed) {
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
        if (closed) {
          return;
        }
        closed = true;
        unused = fetches.isEmpty();
      }
      here.set(false);
      objects.remove(ref.id(), this);
      loop.execute(() -> loop.timers().cancel(timer)); // or it would hold the memory till then
      free(unused);
    }
  }
}
