package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.Numa;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.wire.Features;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A device as one event loop uses it: the domains and the queues that the loop's links share. */
public final class RdmaDevice {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaDevice.class);
  private static final ThrottledLog GIVEN_UP =
      ThrottledLog.of(RdmaDevice.class, "RDMA devices that were given up");

  /** Receives that links may share: enough for fourteen hundred of them, by default. */
  private static final int MOST_SHARED = 1 << 14;

  private final String name;
  private final Numa.Place place;
  private final int features;
  private final DeviceAttributes.Transport transport;
  private final Arena arena = Arena.ofShared();
  private final IbvContext context;
  private final RdmaSettings settings;
  private final Registrations memory;
  private final RdmaCounters counters;
  private final Domain.Opening opening;
  private final PinningProbe pinning;

  /** How many receives a shared queue holds; 0 where links have their own. */
  private final int sharedReceives;

  private final QueuePairEvents events;
  private final Queue<QueuePairEvents.Refusal> refusals = new ConcurrentLinkedQueue<>();
  private final IbvCompChannel channel;
  private final CompletionQueues completions;

  /** Queue pairs that could not be destroyed, with what is due when one is. */
  private final Map<QueuePair, Runnable> kept = new LinkedHashMap<>();

  /** One that all links share, or one for each of them. */
  private final Set<Domain> domains = new LinkedHashSet<>();

  /** Domains of links that are gone, which could not be destroyed. */
  private final List<Domain> left = new ArrayList<>();

  private final SendBlock sends = new SendBlock(arena, 1, 1);

  /** For receives in queues of the links' own, whichever posts next. */
  private final ReceiveBlock receives = new ReceiveBlock(arena, Receives.BATCH, 1);

  private int maxInline;
  private int attached;
  private boolean removed;
  private boolean givenUp;

  /**
   * Opens what links on the device need; nothing is registered yet.
   *
   * @param place where the loop runs
   */
  public RdmaDevice(
      IbvContext context,
      Numa.Place place,
      RdmaSettings settings,
      Registrations memory,
      RdmaCounters counters)
      throws IOException {
    this.context = context;
    this.place = place;
    this.settings = settings;
    this.memory = memory;
    this.counters = counters;
    this.pinning = new PinningProbe(context);
    this.events = QueuePairEvents.of(context);
    VerbsContext verbs = VerbsContext.of(context);
    DeviceAttributes attributes = verbs.queryDevice();
    this.name = verbs.deviceName();
    this.features = Features.of(attributes);
    this.transport = attributes.transport();
    this.opening = opening(attributes);
    boolean shares =
        settings.guaranteedCredits() > 0
            && attributes.hasSrq()
            && opening != Domain.Opening.REGISTRATIONS;
    this.sharedReceives = shares ? Math.min(MOST_SHARED, attributes.maxSrqRequests()) : 0;
    this.channel = context.createCompChannel();
    this.completions = new CompletionQueues(context, channel, attributes.maxCqEntries(), arena);
    this.maxInline = settings.maxInlineBytes();
  }

  private static Domain.Opening opening(DeviceAttributes attributes) {
    if (!attributes.hasTypeTwoWindows()) {
      return Domain.Opening.REGISTRATIONS;
    }
    return attributes.hasWindowBounds()
        ? Domain.Opening.EXACT_WINDOWS
        : Domain.Opening.LOOSE_WINDOWS;
  }

  /**
   * Returns the domain for one more link, which {@linkplain #leave leaves} it at its end.
   *
   * @throws IOException if there is none; also where the device is lost: nobody polls it any more,
   *     and the link would wait for ever
   */
  public Domain enter() throws IOException {
    if (isLost()) {
      throw new IOException("the device " + name + " is lost, and its links are ending");
    }
    boolean shared = opening != Domain.Opening.REGISTRATIONS;
    if (shared && !domains.isEmpty()) {
      return domains.iterator().next();
    }
    Domain made = new Domain(context.allocPd(), opening, settings, memory, counters, pinning);
    domains.add(made);
    if (sharedReceives > 0) {
      made.share(sharedReceives, arena);
      completions.orphansTo(Objects.requireNonNull(made.shared()));
    }
    return made;
  }

  /** A link, its queue pair and the last of its registrations are gone. */
  public void leave(Domain domain) {
    if (opening == Domain.Opening.REGISTRATIONS && domains.remove(domain)) {
      try {
        domain.close();
      } catch (IOException e) {
        LOG.debug("The domain of a link on {} is tried again", name, e);
        left.add(domain);
      }
    }
  }

  /** Returns the device's name, such as {@code rxe0}. */
  public String name() {
    return name;
  }

  /** Returns where the loop runs that uses it. */
  public Numa.Place place() {
    return place;
  }

  /**
   * Returns whether a request that is posted in ERR completes. siw takes it without a word; that is
   * the only iWARP device of which it is known.
   */
  public boolean flushesLateRequests() {
    return transport != DeviceAttributes.Transport.IWARP;
  }

  /**
   * Returns whether memory here may be read from and into by the keys that it is registered with:
   * iWARP would have the peer hold a key of what is read into.
   */
  public boolean readsByLocalKeys() {
    return transport != DeviceAttributes.Transport.IWARP;
  }

  /** Returns bits of {@link Features}. */
  public int features() {
    return features;
  }

  /** Returns where completions announce themselves once {@link #arm}ed. */
  public IbvCompChannel channel() {
    return channel;
  }

  /** Returns a block of one Send, for whoever posts next. */
  public SendBlock sends() {
    return sends;
  }

  /** Returns the receives of a link of a domain, none of which is posted yet. */
  public Receives receives(Domain domain) {
    SharedReceives shared = domain.shared();
    return shared == null
        ? new Receives.Own(receives, domain.receivePool(), settings.credits())
        : shared.part(settings.guaranteedCredits());
  }

  /**
   * Makes the queue pair of a connection.
   *
   * @param sink hears of its completions until it is destroyed
   */
  public QueuePair attach(
      Domain domain, RdmaCmId id, CompletionSink sink, int sendDepth, int receiveDepth)
      throws IOException {
    int entries = sendDepth + receiveDepth;
    CompletionQueues.Queue queue = completions.reserve(entries);
    long link = completions.add(sink);
    try {
      IbvQP qp = create(domain, id, queue, sendDepth, receiveDepth);
      attached++;
      completions.name(qp.getQp_num(), sink);
      events.add(qp.getQp_num(), refusals);
      return new QueuePair(this, id, qp, queue, entries, link, maxInline);
    } catch (IOException e) {
      completions.remove(link);
      queue.release(entries);
      throw e;
    }
  }

  /** Tries what the settings ask for, then less inline: no attribute tells what a device has. */
  private IbvQP create(
      Domain domain, RdmaCmId id, CompletionQueues.Queue queue, int sends, int receives)
      throws IOException {
    int inline = maxInline;
    while (true) {
      try {
        IbvQP made = id.createQP(domain.pd(), attributes(domain, queue, sends, receives, inline));
        maxInline = inline;
        return made;
      } catch (VerbsException e) {
        if (e.errno() != Errno.EINVAL || inline == 0) {
          throw e; // and no less inline for the next link: that was not the reason
        }
        inline /= 2;
      }
    }
  }

  private static IbvQPInitAttr attributes(
      Domain domain, CompletionQueues.Queue queue, int sends, int receives, int inline) {
    IbvQPInitAttr attributes = new IbvQPInitAttr();
    attributes.setQp_type(IbvQP.IBV_QPT_RC);
    attributes.setSend_cq(queue.cq);
    attributes.setRecv_cq(queue.cq);
    attributes.cap().setMax_send_wr(sends);
    SharedReceives shared = domain.shared();
    if (shared == null) {
      attributes.cap().setMax_recv_wr(receives);
    } else {
      attributes.setSrq(shared.handle());
    }
    attributes.cap().setMax_send_sge(1);
    attributes.cap().setMax_recv_sge(1);
    attributes.cap().setMax_inline_data(inline);
    return attributes;
  }

  void detach(long link, int queuePair) {
    completions.remove(link);
    completions.unname(queuePair);
    events.remove(queuePair);
    attached--;
  }

  /** Hands completions to their links, of a device that is there; returns how many there were. */
  public int poll() throws IOException {
    return completions.poll();
  }

  /** Tells links what a device that is there says of their queue pairs; a system call. */
  public void pollEvents() throws IOException {
    events.read(context);
    QueuePairEvents.Refusal refusal;
    while ((refusal = refusals.poll()) != null) {
      CompletionSink sink = completions.ofQueuePair(refusal.queuePair());
      if (sink != null) {
        sink.refusedPeer(refusal.ofAccess());
      }
    }
  }

  /** Returns whether a queue pair in ERR will take no more shared receives, says the device. */
  boolean isLastReceiveReached(int queuePair) throws IOException {
    events.read(context);
    return events.isLastReceiveReached(queuePair);
  }

  /**
   * Has the next completion announce itself on {@link #channel}. A device that is lost has nothing
   * more to announce: nobody polls it, and the loop would be woken for ever.
   */
  public void arm() throws IOException {
    if (isLost()) {
      takeAnnounced();
    } else {
      completions.arm();
    }
  }

  /** Takes what the device had announced before it was lost. */
  public void takeAnnounced() {
    try {
      completions.takeAnnounced();
    } catch (IOException e) {
      LOG.debug("The lost device {} says nothing: {}", name, e.getMessage());
    }
  }

  /** The device is gone: its links end, and what is left of it is to be destroyed. */
  public void removed() {
    removed = true;
    lost("was removed");
  }

  /**
   * Ends the links of a device of whose removal the provider knows. Their ids may hear nothing of
   * it: there are kernels that tell the connection manager last, after waiting until nobody has the
   * device open.
   */
  public void noticeRemoval() {
    if (isRemoved() && !removed) {
      removed();
    }
  }

  /** The device cannot be used any more, though nobody said that it is gone: its links end. */
  public void giveUp(String cause) {
    GIVEN_UP.warn("The device {} is given up: {}", name, cause);
    givenUp = true;
    lost("was given up: " + cause);
  }

  private void lost(String how) {
    String why = "the device " + name + " " + how;
    completions.links().forEach(link -> link.deviceLost(why));
  }

  /** Returns whether the device cannot be used any more. */
  public boolean isLost() {
    return givenUp || isRemoved();
  }

  /**
   * Returns whether the device is gone, and so touches no memory; the provider may know before any
   * link does.
   */
  public boolean isRemoved() {
    return removed || !context.isOpen();
  }

  /** Returns whether links still stand on it. */
  public boolean isInUse() {
    return attached > 0;
  }

  /**
   * Takes a queue pair that could not be destroyed, and tries it again now and then. Its memory is
   * to be left alone until then.
   *
   * @param whenDestroyed gives the memory back
   */
  public void keep(QueuePair one, Runnable whenDestroyed) {
    kept.put(one, whenDestroyed);
  }

  /** Tries again to destroy what could not be destroyed. */
  public void retry() {
    retryQueuePairs();
    if (!left.isEmpty()) {
      Destruction destruction = new Destruction();
      left.removeIf(domain -> destruction.of(domain::close));
    }
  }

  private void retryQueuePairs() {
    if (!kept.isEmpty()) {
      for (QueuePair one : List.copyOf(kept.keySet())) {
        if (isDestroyed(one)) {
          Objects.requireNonNull(kept.remove(one)).run();
        }
      }
    }
  }

  private boolean isDestroyed(QueuePair one) {
    try {
      one.destroy();
      return true;
    } catch (IOException e) {
      LOG.debug("A queue pair of {} still cannot be destroyed", name, e);
      return isRemoved();
    }
  }

  /**
   * Destroys all that can be; no link stands on it any more. Where that is not everything, it may
   * be tried again; what a queue pair may still use is left for it.
   *
   * @throws IOException if there was something left
   */
  public void close() throws IOException {
    retryQueuePairs();
    if (!kept.isEmpty()) {
      throw new IOException(kept.size() + " queue pairs cannot be destroyed");
    }
    Destruction destruction = new Destruction();
    destruction.of(completions::close);
    domains.removeIf(domain -> destruction.of(domain::close));
    left.removeIf(domain -> destruction.of(domain::close));
    if (channel.isOpen()) {
      destruction.of(channel::destroyCompChannel);
    }
    destruction.end();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
