package io.verbena.verbs.fabric;

/**
 * The counts of a host's requests to its devices since the host was made. A request counts once it
 * is in its queue.
 *
 * @param sendPosts calls of {@code ibv_post_send}
 * @param receivePosts calls of {@code ibv_post_recv} and {@code ibv_post_srq_recv}
 * @param polls calls of {@code ibv_poll_cq}, including those without a completion
 * @param arms calls of {@code ibv_req_notify_cq}
 * @param sends Sends that were posted, with and without an immediate or an invalidation
 * @param writes WRITEs that were posted, with and without an immediate
 * @param binds binds of memory windows that were posted
 * @param invalidations local invalidations that were posted
 * @param others READs and atomics that were posted
 * @param receives receives that were posted
 * @param registrations calls of {@code ibv_reg_mr} that registered memory
 * @param bytes the bytes of the Sends and WRITEs
 */
public record VerbsCounts(
    long sendPosts,
    long receivePosts,
    long polls,
    long arms,
    long sends,
    long writes,
    long binds,
    long invalidations,
    long others,
    long receives,
    long registrations,
    long bytes) {
  /** Returns the number of posted requests without receives. */
  public long requests() {
    return sends + writes + binds + invalidations + others;
  }

  /** Returns the difference from earlier counts of the same host. */
  public VerbsCounts since(VerbsCounts earlier) {
    return new VerbsCounts(
        sendPosts - earlier.sendPosts,
        receivePosts - earlier.receivePosts,
        polls - earlier.polls,
        arms - earlier.arms,
        sends - earlier.sends,
        writes - earlier.writes,
        binds - earlier.binds,
        invalidations - earlier.invalidations,
        others - earlier.others,
        receives - earlier.receives,
        registrations - earlier.registrations,
        bytes - earlier.bytes);
  }
}
