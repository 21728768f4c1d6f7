package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.PinningCost;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.wire.Features;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsPd;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A device as used by one event loop: the domains and queues that the loop's links share. */
public final class RdmaDevice {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaDevice.class);
  private static final ThrottledLog GIVEN_UP =
      ThrottledLog.of(RdmaDevice.class, "RDMA devices that were given up");

  /**
   * The limit of shared receives: by default enough for a thousand links. A peer that ignores its
   * credits may use up all of them, so each completion queue has room for so many. Adapters make
   * both kinds of queues as long as the next power of two, which the whole must be below.
   */
  private static final int MOST_SHARED = (16 << 10) - CompletionQueues.ENTRIES - 1;

  /**
   * The driver of Azure's adapters, which grants any inline length and ignores the flag (rdma-core
   * 691953d8d, providers/mana/wr.c). It reports a vendor in newer kernels alone.
   */
  private static final String IGNORES_INLINE = "mana";

  private final String name;
  private final int features;
  private final DeviceAttributes.Transport transport;
  private final Arena arena = Arena.ofShared();
  private final IbvContext context;
  private final RdmaSettings settings;
  private final Registrations memory;
  private final RdmaCounters counters;
  private final Domain.Opening opening;
  private final PinningProbe pinning;

  /** The receives of a shared queue; 0 if links have their own. */
  private int sharedReceives;

  /** Completions of links that are being drained. */
  private long flushes;

  private final Lessons lessons;
  private final boolean keepsAckTimeout;

  private final DeviceEvents events;
  private final Queue<AsyncEvent> reports = new ConcurrentLinkedQueue<>();
  private final IbvCompChannel channel;
  private final CompletionQueues completions;

  /** Queue pairs that could not be destroyed, with the action for when they are. */
  private final Map<QueuePair, Runnable> kept = new LinkedHashMap<>();

  /** One domain that all links share, or one for each of them. */
  private final Set<Domain> domains = new LinkedHashSet<>();

  /** Domains of closed links that could not be destroyed. */
  private final List<Domain> left = new ArrayList<>();

  private final SendBlock sends = new SendBlock(arena, 1, 1);

  /** The block for posting receives to queues of the links' own; links use it in turn. */
  private final ReceiveBlock receives = new ReceiveBlock(arena, Receives.BATCH, 1);

  private int maxInline;
  private int attached;
  private boolean removed;
  private boolean givenUp;

  /** The failure that the device has reported; null if there is none. */
  private @Nullable String failure;

  /** Opens a device for links. Nothing is registered yet. */
  public RdmaDevice(
      IbvContext context, RdmaSettings settings, Registrations memory, RdmaCounters counters)
      throws IOException {
    this.context = context;
    this.settings = settings;
    this.memory = memory;
    this.counters = counters;
    this.pinning = new PinningProbe(context);
    this.events = DeviceEvents.of(context);
    VerbsContext verbs = VerbsContext.of(context);
    DeviceAttributes attributes = verbs.queryDevice();
    this.name = verbs.deviceName();
    this.features = Features.of(attributes);
    this.transport = attributes.transport();
    this.opening = opening(context, attributes);
    boolean shares =
        settings.guaranteedCredits() > 0
            && attributes.hasSrq()
            && opening != Domain.Opening.REGISTRATIONS;
    int mostEntries = attributes.maxCqEntries();
    int most = Math.min(attributes.maxSrqRequests(), mostEntries / 2);
    this.sharedReceives = shares ? Math.min(MOST_SHARED, most) : 0;
    this.channel = context.createCompChannel();
    this.completions = new CompletionQueues(context, channel, sharedReceives, mostEntries, arena);
    this.lessons = new Lessons(name);
    this.keepsAckTimeout = attributes.keepsAckTimeout();
    this.maxInline = IGNORES_INLINE.equals(verbs.driver()) ? 0 : settings.maxInlineBytes();
    events.join(reports);
  }

  private static Domain.Opening opening(IbvContext context, DeviceAttributes attributes)
      throws IOException {
    if (!attributes.hasTypeTwoWindows() || !makesWindows(context)) {
      return Domain.Opening.REGISTRATIONS;
    }
    return attributes.hasWindowBounds()
        ? Domain.Opening.EXACT_WINDOWS
        : Domain.Opening.LOOSE_WINDOWS;
  }

  /**
   * Returns whether windows can be made. A kernel may report windows that the device's library does
   * not have: that of bnxt_re never did, and that of hns does not since rdma-core 59.
   */
  private static boolean makesWindows(IbvContext context) throws IOException {
    IbvPd domain = context.allocPd();
    try {
      VerbsPd.of(domain).allocateWindow().deallocate();
      return true;
    } catch (VerbsException e) {
      LOG.debug("Memory is opened without windows: {}", e.getMessage());
      return false;
    } finally {
      domain.close();
    }
  }

  /**
   * Returns the domain for one more link, which calls {@link #leave} at its end.
   *
   * @throws IOException if there is none, or if the device is lost: it is not polled any more, and
   *     the link would wait for ever
   */
  public Domain enter() throws IOException {
    if (isLost()) {
      throw new IOException("the device " + name + " is lost, and its links are ending");
    }
    boolean shares = opening != Domain.Opening.REGISTRATIONS && lessons.bindsWindows();
    for (Domain one : domains) {
      if (shares && !one.isOfOneLink()) {
        return one;
      }
    }
    Domain.Opening way = shares ? opening : Domain.Opening.REGISTRATIONS;
    Domain made = new Domain(context.allocPd(), way, settings, memory, counters);
    domains.add(made);
    if (shares && sharedReceives > 0) {
      shareReceives(made);
    }
    return made;
  }

  /**
   * Makes links of a domain share their receives. A device may refuse as many as it reports, or
   * any: then they share fewer, or none.
   */
  private void shareReceives(Domain made) throws IOException {
    while (sharedReceives > 0) {
      try {
        made.share(sharedReceives, arena);
        completions.setOrphanReceiver(Objects.requireNonNull(made.shared()));
        return;
      } catch (VerbsException e) {
        int fewer = sharedReceives / 2;
        sharedReceives = fewer < SharedReceives.BURST ? 0 : fewer;
        LOG.debug("{} shares at most {} receives: {}", name, sharedReceives, e.getMessage());
      }
    }
    completions.withoutShared();
  }

  /**
   * Ends the use of a domain: the link, its queue pair and the last of its registrations are gone.
   */
  public void leave(Domain domain) {
    if (domain.isOfOneLink() && domains.remove(domain)) {
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

  /** Returns what was found out about the device. */
  public Lessons lessons() {
    return lessons;
  }

  /**
   * Returns whether requests that are posted in ERR complete, or are refused. siw drops them
   * silently; it is the only iWARP device that is known to do so.
   */
  public boolean flushesLateRequests() {
    return transport != DeviceAttributes.Transport.IWARP;
  }

  /** Returns whether a completed Send has reached the peer's device. */
  public boolean completesAfterDelivery() {
    return transport != DeviceAttributes.Transport.IWARP;
  }

  /** Returns whether the device itself ends a dead path within the ACK timeout of the settings. */
  public boolean keepsAckTimeout() {
    return keepsAckTimeout;
  }

  /**
   * Returns whether the end that accepts a connection may send only when it has received. So it is
   * on iWARP without MPA's peer-to-peer mode (RFC 5044, 7.1.2), which no attribute tells.
   */
  public boolean acceptorListensFirst() {
    return transport == DeviceAttributes.Transport.IWARP;
  }

  /** A request of a link that is being drained has completed. */
  public void flushed() {
    flushes++;
  }

  /** Returns how many such requests have completed. */
  public long flushes() {
    return flushes;
  }

  /**
   * Returns whether READs need only the local keys of this end's memory. On iWARP the peer must
   * hold a key of the memory that is read into.
   */
  public boolean readsByLocalKeys() {
    return transport != DeviceAttributes.Transport.IWARP;
  }

  /** Returns the cost of registering memory on this device, which is measured the first time. */
  public CompletionStage<PinningCost> pinning(NanoClock clock) {
    return pinning.cost(clock);
  }

  /** Returns bits of {@link Features}. */
  public int features() {
    return features;
  }

  /** Returns the channel on which completions announce themselves once {@link #arm}ed. */
  public IbvCompChannel channel() {
    return channel;
  }

  /** Returns a block for one Send; links use it in turn. */
  public SendBlock sends() {
    return sends;
  }

  /** Returns the receives for a link of a domain. None is posted yet. */
  public Receives receives(Domain domain) {
    SharedReceives shared = domain.shared();
    if (shared != null) {
      return shared.part(settings.guaranteedCredits());
    }
    int most = settings.credits();
    int guaranteed = settings.guaranteedCredits() == 0 ? most : settings.guaranteedCredits();
    return new Receives.Own(receives, domain.receivePool(), guaranteed, most);
  }

  /**
   * Makes the queue pair of a connection.
   *
   * @param sink receives its completions until it is destroyed
   */
  public QueuePair attach(
      Domain domain, RdmaCmId id, CompletionSink sink, int sendDepth, int receiveDepth)
      throws IOException {
    int entries = domain.shared() != null ? sendDepth : sendDepth + receiveDepth;
    CompletionQueues.Queue queue = completions.reserve(entries);
    long link = completions.add(sink);
    try {
      IbvQP qp = create(domain, id, queue, sendDepth, receiveDepth);
      attached++;
      completions.name(qp.getQp_num(), sink);
      events.add(qp.getQp_num(), reports);
      return new QueuePair(this, id, qp, queue, entries, link, maxInline);
    } catch (IOException e) {
      completions.remove(link);
      queue.release(entries);
      throw e;
    }
  }

  /**
   * Makes a queue pair with the inline length of the settings, or else the longest that the device
   * takes: no attribute gives its limit. Some devices refuse a longer one, which is then found to
   * the byte, and others (hns) grant less than that.
   */
  private IbvQP create(
      Domain domain, RdmaCmId id, CompletionQueues.Queue queue, int sends, int receives)
      throws IOException {
    int least = 0;
    int inline = maxInline;
    int refused = maxInline + 1;
    while (true) {
      IbvQPInitAttr attributes = attributes(domain, queue, sends, receives, inline);
      try {
        IbvQP made = id.createQP(domain.pd(), attributes);
        int granted = Math.min(attributes.cap().getMax_inline_data(), refused - 1);
        if (granted == refused - 1 || granted < inline || inline == refused - 1) {
          maxInline = granted;
          return made;
        }
        id.destroyQP();
        least = granted;
      } catch (VerbsException e) {
        if (e.errno() != Errno.EINVAL || inline == 0) {
          throw e; // the inline length was not the reason, so it stays for the next link
        }
        refused = inline;
      }
      inline = (least + refused) / 2;
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

  /** Polls a present device, and passes completions to links. Returns their number. */
  public int poll() throws IOException {
    return completions.poll();
  }

  /**
   * Reads the reports of a present device, and passes those about queue pairs to links. It is a
   * system call.
   */
  public void pollEvents() throws IOException {
    events.read(context);
    AsyncEvent report;
    while ((report = reports.poll()) != null) {
      heed(report);
    }
  }

  private void heed(AsyncEvent report) throws IOException {
    IbvQP about = report.qp();
    CompletionSink sink = about == null ? null : completions.ofQueuePair(about.getQp_num());
    switch (report.type()) {
      case QP_FATAL -> {
        if (sink != null) {
          sink.queuePairFailed();
        }
      }
      case CQ_ERR -> {
        if (completions.has(report.cq())) {
          failure = "one of its completion queues has failed (CQ_ERR)";
        }
      }
      case SRQ_ERR -> {
        SharedReceiveQueue queue = report.srq();
        if (domains.stream().anyMatch(domain -> domain.receivesBy(queue))) {
          failure = "its shared receive queue has failed (SRQ_ERR)";
        }
      }
      case DEVICE_FATAL -> failure = "it has failed (DEVICE_FATAL)";
      default -> {
        if (sink != null) {
          sink.refusedPeer(report.type() == AsyncEvent.Type.QP_ACCESS_ERR);
        }
      }
    }
  }

  /**
   * Gives up a device that has reported the failure of something that all its links use: their
   * requests would not complete. It is separate from {@link #pollEvents}, which links call too.
   */
  public void giveUpIfFailed() {
    if (failure != null && !isLost()) {
      giveUp(failure);
    }
  }

  /** Returns whether, by the device's report, a queue pair in ERR takes no more shared receives. */
  boolean isLastReceiveReached(int queuePair) throws IOException {
    events.read(context);
    return events.isLastReceiveReached(queuePair);
  }

  /**
   * Makes the next completion announce itself on {@link #channel}. A lost device is not armed: it
   * is not polled, and would wake the loop for ever.
   */
  public void arm() throws IOException {
    if (isLost()) {
      takeAnnounced();
    } else {
      completions.arm();
    }
  }

  /** Takes the announcements that the device made before it was lost. */
  public void takeAnnounced() {
    try {
      completions.takeAnnounced();
    } catch (IOException e) {
      LOG.debug("The events of the lost device {} cannot be read: {}", name, e.getMessage());
    }
  }

  /** The device was removed: ends its links; the rest of it can then be destroyed. */
  public void removed() {
    removed = true;
    lost("was removed");
  }

  /**
   * Ends the links of a device if the provider knows of its removal. Their ids may get no event:
   * some kernels notify the connection manager last, after every process has closed the device.
   */
  public void noticeRemoval() {
    if (isRemoved() && !removed) {
      removed();
    }
  }

  /**
   * Abandons the device, which does not work any more, although it was not reported removed. Its
   * links end.
   */
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
   * Returns whether the device was removed, and so touches no memory. The provider may know that
   * before a link does.
   */
  public boolean isRemoved() {
    return removed || !context.isOpen();
  }

  /** Returns whether the device still has links. */
  public boolean isInUse() {
    return attached > 0;
  }

  /**
   * Keeps a queue pair that could not be destroyed, and tries again from time to time. Its memory
   * must not be used until then.
   *
   * @param whenDestroyed returns the memory
   */
  public void keep(QueuePair one, Runnable whenDestroyed) {
    kept.put(one, whenDestroyed);
  }

  /** Tries again to destroy the kept objects. */
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
   * Destroys everything that it can; the device has no links any more. If something is left, this
   * may be called again. Objects that a remaining queue pair may use are kept.
   *
   * @throws IOException if something was left
   */
  public void close() throws IOException {
    events.leave(reports);
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
