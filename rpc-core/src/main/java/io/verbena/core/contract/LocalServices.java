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
 * The services of one end, and their methods by the places that calls use. Services are only added,
 * so a place means the same for the life of a session. Several loops may read it at once.
 */
public final class LocalServices {
  private static final int MOST_NAMED = 20;

  private final List<Served> served = new ArrayList<>();
  private Method[] methods = new Method[0];

  /**
   * A service.
   *
   * @param offer the announcement to peers. It is made once, because its hash takes longer than the
   *     rest of a greeting
   */
  public record Served(ServiceBinding binding, OfferedService offer) {}

  /**
   * A method, and the size of its replies in all sessions beyond a slot. The size follows the
   * longest reply and falls slowly. Safe for use by any thread; a race loses one reply at most.
   */
  public static final class Method {
    /** The size before the first reply. */
    public static final long UNKNOWN = -1;

    private static final int FALL = 16;

    /** Reads the arguments. */
    public final Dispatcher dispatcher;

    public final MethodDescriptor<?> descriptor;

    // Parts of the description for every call.
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

    /** Returns the expected size of the next reply in bytes; 0 if it fits a slot. */
    public long expectedReply() {
      return expectedReply;
    }

    /** Notes that a reply which is not complete has at least this size. */
    public void replyTakes(long bytes) {
      if (bytes > expectedReply) {
        expectedReply = bytes;
      }
    }

    /** Notes the size of a reply. */
    public void replyTook(long bytes) {
      long before = expectedReply;
      if (bytes > before) {
        expectedReply = bytes;
      } else if (bytes < before) {
        expectedReply = before - Math.ceilDiv(before - bytes, FALL);
      }
    }
  }

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

  /** Returns the failure for two services whose names have the same id. */
  static IllegalArgumentException clash(String name, String other) {
    return new IllegalArgumentException(
        other.equals(name)
            ? "service " + name + " is served already"
            : "services " + name + " and " + other + " have the same id: rename one");
  }

  /** Starts with all services of another table. */
  public void addAll(LocalServices others) {
    if (!served.isEmpty()) {
      throw new IllegalStateException("services were added already");
    }
    served.addAll(others.served);
    methods = others.methods;
  }

  /** Returns the method at a place; null if there is none. */
  public @Nullable Method method(int place) {
    Method[] all = methods;
    return place < all.length ? all[place] : null;
  }

  /** Returns the service with this number in schema requests; null if there is none. */
  public @Nullable Served get(int id) {
    for (Served one : served) {
      if (OfferedService.id(one.offer().name()) == id) {
        return one;
      }
    }
    return null;
  }

  public int size() {
    return served.size();
  }

  /** Returns the announcements after the first ones. */
  public List<OfferedService> offeredFrom(int first) {
    return served.stream().skip(first).map(Served::offer).toList();
  }

  public List<OfferedService> offered() {
    return offeredFrom(0);
  }

  /** Returns the names of the services, for a message. */
  public String names() {
    return names(
        offered().stream().map(OfferedService::name).filter(name -> !OwnService.is(name)).toList());
  }

  /** Returns names as text for a message, which a peer may cause again and again. */
  static String names(List<String> names) {
    String first = names.stream().sorted().limit(MOST_NAMED).collect(Collectors.joining(", "));
    int more = names.size() - MOST_NAMED;
    return names.isEmpty() ? "no service" : more > 0 ? first + " and " + more + " more" : first;
  }
}
