package com.ibm.disni.util;

/** Stands in for DiSNI's class of this name, which loads libdisni. */
public final class NativeAffinity {
  private NativeAffinity() {}

  /** Leaves the thread where the operating system puts it. */
  public static void setAffinity(long affinity) {}

  /** No affinity. */
  public static long getAffinity() {
    return 0;
  }
}
