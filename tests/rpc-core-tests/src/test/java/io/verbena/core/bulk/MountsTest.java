package io.verbena.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines as Linux has them in /proc/self/mountinfo. */
class MountsTest {
  private final Mounts mounts =
      Mounts.of(
          List.of(
              "26 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw",
              "90 26 0:47 / /data rw shared:20 master:1 - nfs4 store:/data rw,vers=4.2",
              "91 26 0:48 / /with\\040space rw - fuse.sshfs me@there:/ rw,user_id=0",
              "92 90 0:49 / /data/scratch rw,nosuid - tmpfs tmpfs rw",
              "93 26 0:50 / /home rw - autofs systemd-1 rw,fd=51",
              "94 93 0:51 / /home rw - nfs store:/home rw",
              "95 26 0:52 / /hidden rw - nfs store:/hidden rw",
              "96 95 8:1 / /hidden rw - xfs /dev/sda1 rw",
              "a line of another kind"));

  private FilePlace placeOf(String file) {
    return mounts.above(Path.of(file));
  }

  @Test
  void aFileBelongsToTheMountAboveIt() {
    assertThat(placeOf("/data/a/b")).isEqualTo(new FilePlace("/data", true));
    assertThat(placeOf("/data/scratch/../c")).isEqualTo(new FilePlace("/data", true));
    assertThat(placeOf("/data/scratch/d")).isEqualTo(new FilePlace("/data/scratch", false));
    assertThat(placeOf("/database")).isEqualTo(new FilePlace("/", false));
    assertThat(placeOf("/with space/e")).isEqualTo(new FilePlace("/with space", true));
  }

  @Test
  void theLastMountAtAPointCounts() {
    assertThat(placeOf("/home/me")).isEqualTo(new FilePlace("/home", true));
    assertThat(placeOf("/hidden/f")).isEqualTo(new FilePlace("/hidden", false));
  }
}
