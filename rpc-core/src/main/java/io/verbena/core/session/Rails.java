package io.verbena.core.session;

import io.verbena.core.bulk.BulkPath;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The links of a session that go beside its better one, over adapters of their own. Objects are
 * spread over all of them; messages take none, until the better link is lost and one takes its
 * place. On the loop.
 */
final class Rails {
  /** All that are open at this end. */
  final List<SessionLink> open = new ArrayList<>();

  /** Those whose other end is open, too, as objects take them. */
  private List<BulkPath> paths = List.of();

  /** What {@link #pathsBeside} returned last. */
  private List<BulkPath> pathsOfAll = List.of();

  /** Returns those by which objects go, in the order in which they were made. */
  List<BulkPath> paths() {
    return paths;
  }

  /** Returns another path, if there is one, and then {@link #paths}; the same list while it is. */
  List<BulkPath> pathsBeside(@Nullable BulkPath main) {
    int before = main == null ? 0 : 1;
    boolean same =
        pathsOfAll.size() == before + paths.size()
            && (main == null || pathsOfAll.getFirst() == main)
            && (paths.isEmpty() || pathsOfAll.subList(before, pathsOfAll.size()).equals(paths));
    if (!same) {
      List<BulkPath> now = new ArrayList<>(paths);
      if (main != null) {
        now.addFirst(main);
      }
      pathsOfAll = List.copyOf(now);
    }
    return pathsOfAll;
  }

  /** Returns what a path says: the better link's words, and then those of each rail. */
  String beside(String better) {
    StringJoiner words = new StringJoiner(" + ").add(better);
    for (SessionLink rail : open) {
      if (paths.contains(rail.bulkPath())) {
        words.add(rail.link.capabilities().detail());
      }
    }
    return words.toString();
  }

  @Nullable SessionLink withEpoch(int epoch) {
    for (SessionLink rail : open) {
      if (rail.epoch == epoch) {
        return rail;
      }
    }
    return null;
  }

  /** The peer has said something over a link; returns whether objects go by it from now on. */
  boolean heard(SessionLink rail) {
    BulkPath path = rail.bulkPath();
    if (path == null || !open.contains(rail) || paths.contains(path)) {
      return false;
    }
    List<BulkPath> more = new ArrayList<>(paths);
    more.add(path);
    paths = List.copyOf(more);
    return true;
  }

  /** Returns a rail that takes the better link's place from now on; null if there is none. */
  @Nullable SessionLink takeAny() {
    for (SessionLink rail : open) {
      if (paths.contains(rail.bulkPath())) {
        return take(rail.epoch);
      }
    }
    return null;
  }

  /** Returns a rail by its number, which takes the better link's place; null if there is none. */
  @Nullable SessionLink take(int epoch) {
    SessionLink rail = withEpoch(epoch);
    if (rail != null) {
      leaves(rail);
      open.remove(rail);
    }
    return rail;
  }

  /** Objects do not take a link any more, if it is a rail. */
  void leaves(SessionLink rail) {
    if (open.contains(rail)) {
      List<BulkPath> left = new ArrayList<>();
      for (SessionLink one : open) {
        BulkPath path = one == rail ? null : one.bulkPath();
        if (path != null && paths.contains(path)) {
          left.add(path);
        }
      }
      paths = List.copyOf(left);
    }
  }

  /** All links are being closed. */
  void clear() {
    open.clear();
    paths = List.of();
  }
}
