package io.verbena.verbs.fabric;

import java.util.SplittableRandom;

/**
 * What a fabric makes of the freedom that the verbs specification leaves, drawn from the seed: one
 * temper behaves like rdma_rxe, which completes inside the post, others like hardware.
 *
 * @param synchronous requests are carried out and complete inside the post where nothing hinders
 *     them, as in rdma_rxe
 * @param slotsUntilPolled a send slot is free only when a completion of it or a later one was
 *     polled, as in hardware; otherwise already when it is acknowledged
 * @param exactQueues queues have the depth asked for; otherwise the next power of two
 * @param latencyNanos the longest ordinary way of a message
 * @param batch the most requests or completions that pass at once
 * @param lastWqeEvent a queue pair with an SRQ reports LAST_WQE_REACHED in ERR
 * @param purgesOnDestroy completions of a destroyed queue pair vanish from their queue
 * @param lateReads a READ takes its data when it completes, after requests that follow it without a
 *     fence, which the ordering rules allow
 * @param landsBeforeRnr half of a WRITE with immediate lands although no receive is posted
 * @param refusalTakesReceive a WRITE with immediate that is refused ends the receive that it would
 *     have taken; otherwise it raises an event, as requests that take none do
 * @param takesAhead a queue pair with an SRQ has taken one more receive when it comes to ERR, which
 *     it flushes before it reports LAST_WQE_REACHED
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
    int last; // three freedoms of one draw: what a seed gives otherwise stays as it was
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
