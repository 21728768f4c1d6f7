package io.verbena.verbs.ext;

/** The valid optional fields of a successful work completion ({@code enum ibv_wc_flags}). */
public final class WcFlags {
  public static final int GRH = 1;
  public static final int WITH_IMM = 1 << 1;

  /** The peer has invalidated a window: {@link CompletionBlock#invalidatedRkey}. */
  public static final int WITH_INV = 1 << 3;

  private WcFlags() {}
}
