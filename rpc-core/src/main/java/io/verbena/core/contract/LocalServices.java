package io.verbena.core.contract;

import io.verbena.api.stub.Dispatcher;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.OfferedService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The services that one end serves, and their methods by the places that calls name them by. It
 * only grows: a place means the same for the life of a session. Several loops may look through it
 * at once.
 */
public final class LocalServices {
  private final List<Served> served = new ArrayList<>();
  private Method[] methods = new Method[0];

  /**
   * A service.
   *
   * @param offer what peers are told of it; made once, since its hash takes longer than the rest of
   *     a greeting
   */
  public record Served(ServiceBinding binding, OfferedService offer) {}

  /**
   * A method, and what its replies in all sessions take beyond a slot, as far as is known: it falls
   * slowly from the longest. Safe for use by any thread; a race forgets one reply, no more.
   */
  public static final class Method {
    /** No reply was made yet. */
    public static final long UNKNOWN = -1;

    private static final int FALL = 16;

    /** What reads its arguments. */
    public final Dispatcher dispatcher;

    /** What it is. */
    public final MethodDescriptor<?> descriptor;

    // Of that, what each call asks for.
    public final boolean oneway;
    public final boolean nonBlocking;
    public final boolean streaming;

    private volatile long expectedReply = UNKNOWN;

    private Method(Dispatcher dispatcher, MethodDescriptor<?> descriptor) {
      this.dispatcher = dispatcher;
      this.descriptor = descriptor;
      this.oneway = descriptor.oneway();
      this.nonBlocking = descriptor.nonBlocking();
      this.streaming = descriptor.streaming();
    }

    /** Returns what the next reply may take, in bytes; 0 if it fits a slot. */
    public long expectedReply() {
      return expectedReply;
    }

    /** A reply has taken so many bytes. */
    public void replyTook(long bytes) {
      long before = expectedReply;
      if (bytes > before) {
        expectedReply = bytes;
      } else if (bytes < before) {
        expectedReply = before - Math.ceilDiv(before - bytes, FALL);
      }
    }
  }

  /** Adds a service. */
  public void add(ServiceBinding binding) {
    String name = binding.service().name();
    Served other = get(OfferedService.id(name));
    if (other != null) {
      throw clash(name, other.offer().name());
    }
    List<? extends MethodDescriptor<?>> added = binding.service().methods();
    int place = methods.length;
    if (place + added.size() > FrameHeader.MOST_METHODS) {
      throw new IllegalArgumentException(
          "service " + name + " would make more than " + FrameHeader.MOST_METHODS + " methods");
    }
    served.add(new Served(binding, OfferedService.of(binding.service(), place)));
    Method[] more = Arrays.copyOf(methods, place + added.size());
    for (MethodDescriptor<?> method : added) {
      more[place++] = new Method(binding.dispatcher(), method);
    }
    methods = more;
  }

  /** Returns what is wrong with serving two services, whose names have the same id. */
  static IllegalArgumentException clash(String name, String other) {
    return new IllegalArgumentException(
        other.equals(name)
            ? "service " + name + " is served already"
            : "services " + name + " and " + other + " have the same id: rename one");
  }

  /** Begins with all services of another table. */
  public void addAll(LocalServices others) {
    if (!served.isEmpty()) {
      throw new IllegalStateException("places are given away already");
    }
    served.addAll(others.served);
    methods = others.methods;
  }

  /** Returns the method at a place; null if there is none. */
  public @Nullable Method method(int place) {
    Method[] all = methods;
    return place < all.length ? all[place] : null;
  }

  /** Returns the service that schemas are asked for by this number; null if there is none. */
  public @Nullable Served get(int id) {
    for (Served one : served) {
      if (OfferedService.id(one.offer().name()) == id) {
        return one;
      }
    }
    return null;
  }

  /** Returns how many services there are. */
  public int size() {
    return served.size();
  }

  /** Returns what to tell the peer, but for the first ones. */
  public List<OfferedService> offeredFrom(int first) {
    return served.stream().skip(first).map(Served::offer).toList();
  }

  /** Returns what to tell the peer. */
  public List<OfferedService> offered() {
    return offeredFrom(0);
  }

  /** Returns the services' names, for a message. */
  public String names() {
    return names(
        offered().stream().map(OfferedService::name).filter(name -> !OwnService.is(name)).toList());
  }

  /** Returns such names as a message says them. */
  static String names(List<String> names) {
    return names.isEmpty()
        ? "no service"
        : names.stream().sorted().collect(Collectors.joining(", "));
  }
}
