package io.verbena.core.bulk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mount points of this process, as Linux lists them. Empty on other systems. Immutable.
 *
 * @param points absolute names, as bytes of Latin-1
 * @param remote those of them whose files another machine or another process serves
 */
public record Mounts(Set<String> points, Set<String> remote) {
  static final Mounts NONE = new Mounts(Set.of(), Set.of());

  private static final Path LIST = Path.of("/proc/self/mountinfo");
  private static final int POINT = 4;
  private static final String BEFORE_TYPE = " - ";

  /** As Linux names their types. */
  private static final Pattern REMOTE =
      Pattern.compile(
          "nfs4?|cifs|smb3?|ceph|9p|virtiofs|lustre|gpfs|beegfs|afs|ocfs2|gfs2|fuse(\\..*)?");

  private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})");

  /** Copies the sets. */
  public Mounts {
    points = Set.copyOf(points);
    remote = Set.copyOf(remote);
  }

  /** Reads the list, which needs no disk. */
  public static Mounts now() {
    try {
      return of(Files.readAllLines(LIST, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return NONE;
    }
  }

  /** Reads the lines of a list. */
  public static Mounts of(List<String> lines) {
    Set<String> points = new HashSet<>();
    Set<String> remote = new HashSet<>();
    for (String line : lines) {
      String[] fields = line.split(" ", POINT + 2);
      if (fields.length > POINT) {
        String point = unescaped(fields[POINT]);
        points.add(point);
        int type = line.indexOf(BEFORE_TYPE) + BEFORE_TYPE.length();
        if (REMOTE.matcher(line.substring(type).split(" ", 2)[0]).matches()) {
          remote.add(point);
        } else {
          remote.remove(point); // a later mount hides an earlier one
        }
      }
    }
    return new Mounts(points, remote);
  }

  /** Spaces, tabs, newlines and backslashes of a name are octal numbers in the list. */
  private static String unescaped(String field) {
    return ESCAPED.matcher(field).replaceAll(Mounts::character);
  }

  private static String character(MatchResult octal) {
    return Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(octal.group(1), 8)));
  }

  /** Returns whether a file or directory is a mount point. Its name must be real. */
  public boolean isPoint(Path real) {
    return points.contains(bytesOf(real));
  }

  /** Returns the place of a file, by its name. */
  public FilePlace above(Path file) {
    for (Path at = file.toAbsolutePath().normalize(); at != null; at = at.getParent()) {
      String name = bytesOf(at);
      if (points.contains(name)) {
        return new FilePlace(at.toString(), remote.contains(name));
      }
    }
    return new FilePlace("/", false);
  }

  private static String bytesOf(Path path) {
    return new String(
        path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
