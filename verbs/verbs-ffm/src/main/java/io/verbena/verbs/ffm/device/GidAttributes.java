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

  /**
   * Returns the version with which the connection manager connects.
   *
   * @param highest the highest version of the port's GIDs; IB if the port is not RoCE
   */
  GidEntry.Type connectsBy(GidEntry.Type highest) {
    String configured =
        text(
            Path.of(
                "/sys/kernel/config/rdma_cm",
                device,
                "ports",
                String.valueOf(port),
                "default_roce_mode"));
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
