package io.verbena.verbs.ext;

/** Flags of a send work request ({@code enum ibv_send_flags}). */
public final class SendFlags {
  /** Waits until earlier READs and atomics have completed. */
  public static final int FENCE = 1;

  /** A success makes a completion, too; a failure always does. */
  public static final int SIGNALED = 1 << 1;

  /** Wakes a receiver that has armed its queue only for solicited completions. */
  public static final int SOLICITED = 1 << 2;

  /** Copies the payload while it is posted; its memory need not be registered. */
  public static final int INLINE = 1 << 3;

  private SendFlags() {}
}
