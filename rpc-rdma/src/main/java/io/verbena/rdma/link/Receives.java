package io.verbena.rdma.link;

import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RegisteredPool;
import java.io.IOException;

/** Where a link's receives are posted: in a queue of its own, or in one that links share. */
interface Receives {
  RegisteredPool pool();

  /** Returns how many receives for frames there are from the beginning on. */
  int guaranteed();

  /** Has them posted, with those for control messages, before a peer can send. */
  void open(QueuePair queuePair) throws IOException;

  /** A receive has completed, well or not. */
  void taken();

  /**
   * Posts a slot again, with the next {@link #flush} at the latest.
   *
   * @param open whether the link still stands
   * @param counted whether the link goes on to count on it
   */
  void post(int slot, boolean open, boolean counted) throws IOException;

  /**
   * Posts what is to be posted.
   *
   * @param open whether the link still stands
   */
  void flush(boolean open) throws IOException;

  /** Returns how many more the link may count on from now on, up to a number. */
  int lease(int most) throws IOException;

  /** Returns whether leases should end as they are used up. */
  boolean isScarce();

  /** The peer will not use so many that were leased. */
  void giveUp(int receives);

  /**
   * In ERR: returns whether nothing will complete any more. Asked again only when the completion
   * queue has been read to its end since.
   */
  boolean isDrained() throws IOException;

  /** In ERR: returns whether waiting long enough is as good as {@link #isDrained}. */
  boolean drainsByTime();

  /** The queue pair is drained or destroyed. */
  void release() throws IOException;
}
