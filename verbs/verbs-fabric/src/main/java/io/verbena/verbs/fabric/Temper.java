package io.verbena.verbs.fabric;

import java.util.SplittableRandom;

/**
 * The choices of a fabric that the verbs specification leaves open, drawn from the seed. One temper
 * behaves like rdma_rxe, which completes requests inside the post, others like hardware.
 *
 * @param synchronous requests are carried out and complete inside the post if possible, as in
 *     rdma_rxe
 * @param slotsUntilPolled a send slot is free only after a poll of its completion or a later one,
 *     as in hardware; otherwise already when it is acknowledged
 * @param exactQueues queues have the requested depth; otherwise the next power of two
 * @param latencyNanos the longest ordinary latency of a message
 * @param batch the most requests or completions that move at once
 * @param lastWqeEvent a queue pair with an SRQ reports LAST_WQE_REACHED in ERR
 * @param purgesOnDestroy completions of a destroyed queue pair vanish from their queue
 * @param lateReads half of the READs copy their data when they complete, after requests that follow
 *     them without a fence, which the ordering rules allow
 * @param landsBeforeRnr half of a WRITE with immediate is written although no receive is posted
 * @param refusalTakesReceive a refused WRITE with immediate completes the receive that it would
 *     have consumed, with an error; otherwise it raises an event, like requests without a receive
 * @param takesAhead a queue pair with an SRQ has taken one more receive when it enters ERR, and
 *     flushes it before it reports LAST_WQE_REACHED
 */
record Temper(
    boolean synchronous,
    boolean slotsUntilPolled,
    boolean exactQueues,
    long latencyNanos,
    int batch,
    boolean lastWqeEvent,
    boolean purgesOnDestroy,
    boolean lateReads,
    boolean landsBeforeRnr,
    boolean refusalTakesReceive,
    boolean takesAhead) {

  static Temper draw(SplittableRandom random) {
    int last; // one draw decides three choices, so that other results of a seed stay as they were
    return new Temper(
        random.nextInt(4) == 0,
        random.nextInt(4) != 0,
        random.nextBoolean(),
        1_000L << random.nextInt(8),
        1 << random.nextInt(5),
        random.nextBoolean(),
        random.nextBoolean(),
        random.nextBoolean(),
        (last = random.nextInt()) < 0,
        (last & 1) != 0,
        (last & 2) != 0);
  }
}
