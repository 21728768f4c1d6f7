package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.core.memory.MemoryBudget;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.wire.Features;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;

/**
 * A device as one event loop uses it: one protection domain, whose memory no peer has access to,
 * with the pools and queues that the loop's links share.
 */
public final class RdmaDevice {
  /** Receives that are posted at a time. */
  public static final int RECEIVE_BATCH = 32;

  private final String name;
  private final int features;
  private final Arena arena = Arena.ofShared();
  private final IbvPd domain;
  private final IbvCompChannel channel;
  private final LinkTable links = new LinkTable();
  private final CompletionQueues completions;
  private final RegisteredPool sendPool;
  private final RegisteredPool receivePool;
  private final SendBlock sends = new SendBlock(arena, 1, 1);
  private final ReceiveBlock receives = new ReceiveBlock(arena, RECEIVE_BATCH, 1);
  private int maxInline;
  private int attached;
  private boolean removed;
  private boolean closed;

  /** Opens what links on the device need; nothing is registered yet. */
  public RdmaDevice(IbvContext context, RdmaSettings settings, MemoryBudget budget)
      throws IOException {
    VerbsContext verbs = VerbsContext.of(context);
    DeviceAttributes attributes = verbs.queryDevice();
    this.name = verbs.deviceName();
    this.features = Features.of(attributes);
    this.domain = context.allocPd();
    this.channel = context.createCompChannel();
    this.completions =
        new CompletionQueues(context, channel, attributes.maxCqEntries(), links, arena);
    VerbsPd pd = VerbsPd.of(domain);
    this.sendPool = new RegisteredPool(pd, settings.slotBytes(), 0, budget);
    this.receivePool = new RegisteredPool(pd, settings.slotBytes(), Access.LOCAL_WRITE, budget);
    this.maxInline = settings.maxInlineBytes();
  }

  /** Returns the device's name, such as {@code rxe0}. */
  public String name() {
    return name;
  }

  /** Returns bits of {@link Features}. */
  public int features() {
    return features;
  }

  /** Returns where completions announce themselves once {@link #arm}ed. */
  public IbvCompChannel channel() {
    return channel;
  }

  /** Returns slots to send from. */
  public RegisteredPool sendPool() {
    return sendPool;
  }

  /** Returns slots to receive into. */
  public RegisteredPool receivePool() {
    return receivePool;
  }

  /** Returns a block of one Send, for whoever posts next. */
  public SendBlock sends() {
    return sends;
  }

  /** Returns a block of {@link #RECEIVE_BATCH} receives, for whoever posts next. */
  public ReceiveBlock receives() {
    return receives;
  }

  /**
   * Makes the queue pair of a connection.
   *
   * @param sink hears of its completions until it is destroyed
   */
  public QueuePair attach(RdmaCmId id, CompletionSink sink, int sendDepth, int receiveDepth)
      throws IOException {
    int entries = sendDepth + receiveDepth;
    CompletionQueues.Queue queue = completions.reserve(entries);
    long link = links.add(sink);
    try {
      IbvQP qp = create(id, queue, sendDepth, receiveDepth);
      attached++;
      return new QueuePair(this, id, qp, queue, entries, link, maxInline);
    } catch (IOException e) {
      links.remove(link);
      queue.release(entries);
      throw e;
    }
  }

  /** Tries what the settings ask for, then less inline: no attribute tells what a device has. */
  private IbvQP create(RdmaCmId id, CompletionQueues.Queue queue, int sends, int receives)
      throws IOException {
    while (true) {
      try {
        return id.createQP(domain, attributes(queue, sends, receives));
      } catch (VerbsException e) {
        if (e.errno() != Errno.EINVAL || maxInline == 0) {
          throw e;
        }
        maxInline /= 2;
      }
    }
  }

  private IbvQPInitAttr attributes(CompletionQueues.Queue queue, int sends, int receives) {
    IbvQPInitAttr attributes = new IbvQPInitAttr();
    attributes.setQp_type(IbvQP.IBV_QPT_RC);
    attributes.setSend_cq(queue.cq);
    attributes.setRecv_cq(queue.cq);
    attributes.cap().setMax_send_wr(sends);
    attributes.cap().setMax_recv_wr(receives);
    attributes.cap().setMax_send_sge(1);
    attributes.cap().setMax_recv_sge(1);
    attributes.cap().setMax_inline_data(maxInline);
    return attributes;
  }

  void detach(long link) {
    links.remove(link);
    attached--;
  }

  /** Hands completions to their links; returns how many there were. */
  public int poll() throws IOException {
    return removed ? 0 : completions.poll();
  }

  /** Has the next completion announce itself on {@link #channel}. */
  public void arm() throws IOException {
    if (!removed) {
      completions.arm();
    }
  }

  /** The device is gone; what is left of it is to be destroyed. */
  public void removed() {
    removed = true;
  }

  /** Returns whether the device is gone. */
  public boolean isRemoved() {
    return removed;
  }

  /** Returns whether links still stand on it. */
  public boolean isInUse() {
    return attached > 0;
  }

  /** Destroys everything; no link stands on it any more. Does nothing the second time. */
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    completions.close();
    sendPool.close();
    receivePool.close();
    channel.destroyCompChannel();
    try {
      domain.deallocPd();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) { // DiSNI's signature
      throw new IOException("a protection domain cannot be freed: " + e.getMessage(), e);
    }
    arena.close();
  }
}
