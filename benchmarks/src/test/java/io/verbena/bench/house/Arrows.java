package io.verbena.bench.house;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which classes of one package name which. An order of the classes is sought in which as few arrows
 * as possible run back up; a package without circles has none.
 *
 * @param of the package
 * @param count how many arrows there are between its top-level classes
 * @param back those that run back up, as {@code "Inbox -> Outbox"}
 */
record Arrows(String of, int count, List<String> back) {
  private static final int STARTS = 30;
  private static final Pattern IN_DESCRIPTOR = Pattern.compile("L(io/verbena/[\\w/]+)");

  /** Returns the arrows of each package below some folders of classes. */
  static List<Arrows> in(List<Path> folders) throws IOException {
    Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          String name = folder.relativize(file).toString();
          if (name.endsWith(".class") && name.contains("/") && !name.endsWith("-info.class")) {
            ClassModel type = ClassFile.of().parse(file);
            String of = name.substring(0, name.lastIndexOf('/'));
            packages
                .computeIfAbsent(of, _ -> new TreeMap<>())
                .computeIfAbsent(topLevel(type.thisClass().asInternalName()), _ -> new TreeSet<>())
                .addAll(named(type));
          }
        }
      }
    }
    List<Arrows> all = new ArrayList<>();
    packages.forEach((of, classes) -> all.add(between(of.replace('/', '.'), classes)));
    return all;
  }

  private static String topLevel(String internalName) {
    int nested = internalName.indexOf('$');
    return nested < 0 ? internalName : internalName.substring(0, nested);
  }

  /** Returns the classes that are named in a class file: themselves, or in a descriptor. */
  private static Set<String> named(ClassModel type) {
    Set<String> named = new TreeSet<>();
    for (PoolEntry entry : type.constantPool()) {
      if (entry instanceof ClassEntry other) {
        named.add(topLevel(other.asInternalName()));
      } else if (entry instanceof Utf8Entry text) {
        IN_DESCRIPTOR.matcher(text.stringValue()).results().forEach(r -> named.add(r.group(1)));
      }
    }
    return named;
  }

  private static Arrows between(String of, Map<String, Set<String>> named) {
    List<String> names = List.copyOf(named.keySet());
    List<Set<String>> others = List.copyOf(named.values());
    boolean[][] arrows = new boolean[names.size()][names.size()];
    int count = 0;
    for (int i = 0; i < names.size(); i++) {
      for (int j = 0; j < names.size(); j++) {
        arrows[i][j] = i != j && others.get(i).contains(names.get(j));
        count += arrows[i][j] ? 1 : 0;
      }
    }
    List<String> fewest = null;
    for (int start = 0; start < STARTS && !(fewest != null && fewest.isEmpty()); start++) {
      List<String> back = back(names, arrows, order(arrows, new Random(start)));
      fewest = fewest == null || back.size() < fewest.size() ? back : fewest;
    }
    return new Arrows(of, count, Objects.requireNonNull(fewest));
  }

  private static List<String> back(List<String> names, boolean[][] arrows, List<Integer> order) {
    List<String> back = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      for (int above : order.subList(0, i)) {
        if (arrows[order.get(i)][above]) {
          back.add(simple(names.get(order.get(i))) + " -> " + simple(names.get(above)));
        }
      }
    }
    return back;
  }

  private static String simple(String internalName) {
    return internalName.substring(internalName.lastIndexOf('/') + 1);
  }

  /** Moves one class at a time to where fewest of its arrows run up, as long as that helps. */
  private static List<Integer> order(boolean[][] arrows, Random random) {
    List<Integer> order =
        Stream.iterate(0, i -> i + 1).limit(arrows.length).collect(toCollection(ArrayList::new));
    Collections.shuffle(order, random);
    boolean better = true;
    while (better) {
      better = false;
      for (int moved = 0; moved < arrows.length; moved++) {
        int from = order.indexOf(moved);
        order.remove(from);
        int best = from;
        int bestGain = 0;
        int[] gains = gains(arrows, order, moved);
        for (int to = 0; to < gains.length; to++) {
          if (gains[to] - gains[from] > bestGain) {
            best = to;
            bestGain = gains[to] - gains[from];
          }
        }
        order.add(best, moved);
        better |= best != from;
      }
    }
    return order;
  }

  /** Returns, for each place of a class among the others, how many fewer arrows run up there. */
  private static int[] gains(boolean[][] arrows, List<Integer> others, int moved) {
    int[] gains = new int[others.size() + 1];
    for (int to = 0; to < others.size(); to++) {
      int other = others.get(to);
      int down = (arrows[other][moved] ? 1 : 0) - (arrows[moved][other] ? 1 : 0);
      gains[to + 1] = gains[to] + down;
    }
    return gains;
  }
}
