package io.verbena.verbs.ffm.device;

import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.GidEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The attributes of a port's GIDs, from the kernel's files. libibverbs reads the same files, but
 * has a call for them only since rdma-core 33.
 */
record GidAttributes(String device, int port) {
  private static final String VERSION_TWO = "RoCE v2";

  /** The kernel fills the table from the front, and the table may have a thousand entries. */
  private static final int EMPTY_IN_A_ROW = 8;

  GidEntry entry(int index, Gid gid) {
    if (gid.isEmpty()) {
      return new GidEntry(gid, GidEntry.Type.IB, "");
    }
    String netdev = text(attribute("ndevs", index));
    return new GidEntry(gid, type(text(attribute("types", index)), netdev), netdev);
  }

  /** The kernel writes "IB/RoCE v1" for both. Only RoCE has network interfaces. */
  private static GidEntry.Type type(String text, String netdev) {
    if (text.equals(VERSION_TWO)) {
      return GidEntry.Type.ROCE_V2;
    }
    return netdev.isEmpty() ? GidEntry.Type.IB : GidEntry.Type.ROCE_V1;
  }

  GidEntry.Type connectsBy(int tableLength) {
    String configured =
        text(
            Path.of(
                "/sys/kernel/config/rdma_cm",
                device,
                "ports",
                String.valueOf(port),
                "default_roce_mode"));
    GidEntry.Type highest = GidEntry.Type.IB;
    int empty = 0;
    for (int i = 0;
        i < tableLength && empty < EMPTY_IN_A_ROW && highest != GidEntry.Type.ROCE_V2;
        i++) {
      String netdev = text(attribute("ndevs", i));
      empty = netdev.isEmpty() ? empty + 1 : 0;
      if (!netdev.isEmpty()) {
        highest = type(text(attribute("types", i)), netdev);
      }
    }
    return highest == GidEntry.Type.IB || configured.isEmpty()
        ? highest
        : type(configured, "of RoCE");
  }

  private Path attribute(String folder, int index) {
    return Path.of(
        "/sys/class/infiniband",
        device,
        "ports",
        String.valueOf(port),
        "gid_attrs",
        folder,
        String.valueOf(index));
  }

  /** Reading the file of an empty entry fails with EINVAL. */
  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
