package io.verbena.core.session;

import io.verbena.core.bulk.BulkPath;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The links of a session beside its better link, each over its own adapter. Objects are spread over
 * all of them. Messages use none of them, until the better link is lost and a rail replaces it. On
 * the loop.
 */
final class Rails {
  /** The rails that are open at this end. */
  final List<SessionLink> open = new ArrayList<>();

  /** The paths of the rails that are open at both ends, in the order of opening. */
  List<BulkPath> paths = List.of();

  /** The last result of {@link #pathsBeside}. */
  private List<BulkPath> pathsOfAll = List.of();

  /**
   * Returns another path, if there is one, followed by {@link #paths}. The list stays the same
   * object until it changes.
   */
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

  /** Returns the reason of a path: that of the better link, followed by those of the rails. */
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

  /** Handles a sign of life from the peer. Returns whether objects use this link from now on. */
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

  /** Returns a rail that replaces the better link; null if there is none. */
  @Nullable SessionLink takeAny() {
    for (SessionLink rail : open) {
      if (paths.contains(rail.bulkPath())) {
        return take(rail.epoch);
      }
    }
    return null;
  }

  /** Returns the rail with an epoch, which replaces the better link; null if there is none. */
  @Nullable SessionLink take(int epoch) {
    SessionLink rail = withEpoch(epoch);
    if (rail != null) {
      remove(rail);
      open.remove(rail);
    }
    return rail;
  }

  /** Removes a link from the paths for objects, if it is a rail. */
  void remove(SessionLink rail) {
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

  void clear() {
    open.clear();
    paths = List.of();
  }
}
