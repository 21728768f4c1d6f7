package io.verbena.verbs.ext;

/** Flags of a send work request ({@code enum ibv_send_flags}). */
public final class SendFlags {
  /** Starts only when READs and atomics posted before it have completed. */
  public static final int FENCE = 1;

  /** Success, too, makes a completion; failures always do. */
  public static final int SIGNALED = 1 << 1;

  /** Wakes a receiver that armed its queue for solicited completions only. */
  public static final int SOLICITED = 1 << 2;

  /** The payload is copied while posting; its memory need not be registered. */
  public static final int INLINE = 1 << 3;

  private SendFlags() {}
}
