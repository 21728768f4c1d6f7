package io.verbena.codegen.lock;

import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.lock.Lock.Entry;
import io.verbena.codegen.lock.Lock.Part;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import org.jspecify.annotations.Nullable;

/**
 * Compares a contract with its earlier versions on the wire. New parts are added to the lock.
 * Removed parts stay in it, so that their ids are not used again.
 */
public final class LockCheck {
  private final Service service;
  private final Path file;
  private final Reporter reporter;

  /** Types of parts before and now, of which an error tells. */
  private final Set<String> changes = new HashSet<>();

  /**
   * Makes a check of one contract.
   *
   * @param directory the directory of the locks, one for each service, by its name
   */
  public LockCheck(Service service, Path directory, Reporter reporter) {
    this.service = service;
    this.file = directory.resolve(service.name().replace('/', '.') + ".lock");
    this.reporter = reporter;
  }

  /**
   * Compares the contract with its lock, and reports the differences. If there are none, new parts
   * are added to the lock.
   *
   * @param frozen whether the lock must not change; then new parts are reported
   */
  public void run(boolean frozen) {
    try {
      String before = read();
      Lock locked = Lock.parse(before);
      Lock now = Locks.of(service);
      methods(locked, now);
      types(locked, now);
      if (!reporter.isClean()) {
        return;
      }
      String after = now.text(service.name());
      if (after.lines().toList().equals(before.lines().toList())) {
        return; // git may have changed the ends of the lines
      }
      if (frozen) {
        reporter.error(service.element(), RpcDiagnostic.LOCK_FROZEN, file, firstNew(before, after));
        return;
      }
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, after);
    } catch (Lock.UnreadableException e) {
      reporter.error(
          service.element(), RpcDiagnostic.LOCK_UNREADABLE, file, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      reporter.error(service.element(), RpcDiagnostic.LOCK_UNREADABLE, file, e);
    }
  }

  private String read() throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return ""; // there is no lock before the first version
    }
  }

  private static String firstNew(String before, String after) {
    List<String> old = before.lines().toList();
    return after
        .lines()
        .filter(line -> !old.contains(line))
        .findFirst()
        .map(line -> "'" + line.strip() + "'")
        .orElse("an order");
  }

  private void methods(Lock locked, Lock now) {
    locked
        .methods()
        .forEach(
            (id, was) -> {
              Entry is = now.methods().get(id);
              if (is == null) {
                now.methods().put(id, new Entry(was.kind(), was.name(), true, List.of()));
              } else if (was.removed()) {
                int free = 1 + Math.max(now.methods().lastKey(), locked.methods().lastKey());
                reporter.error(element(id), RpcDiagnostic.LOCKED_ID, id, was.name(), free);
              } else {
                method(id, was, is);
              }
            });
  }

  private void method(int id, Entry was, Entry is) {
    String what = "method " + is.name() + " (id " + id + ")";
    Element at = element(id);
    same(at, what, was.parts("returns"), is.parts("returns"));
    inOrder(at, what, was.parts("takes"), is.parts("takes"));
    inOrder(at, what, was.parts("throws"), is.parts("throws"));
  }

  private Element element(int id) {
    return service.operations().stream()
        .filter(operation -> operation.id() == id)
        .map(Operation::element)
        .map(Element.class::cast)
        .findFirst()
        .orElse(service.element());
  }

  private void types(Lock locked, Lock now) {
    locked
        .types()
        .forEach(
            (name, was) -> {
              Entry is = now.types().get(name);
              if (is != null && was.kind().equals(is.kind())) {
                type(now, name, was, is);
              } else if (is != null) {
                differ(service.element(), "type " + name, was.kind(), is.kind());
              }
            });
  }

  private void type(Lock now, String name, Entry was, Entry is) {
    String what = "type " + name;
    same(service.element(), what, was.parts("by"), is.parts("by"));
    inOrder(service.element(), what, was.parts("has"), is.parts("has"));
    if (is.kind().equals("sealed")) {
      now.types().put(name, subtypes(name, was, is));
    }
  }

  /** Returns the type with the ids of removed subtypes. */
  private Entry subtypes(String name, Entry was, Entry is) {
    List<Part> all = new ArrayList<>(is.parts());
    for (Part old : was.parts("id")) {
      Part same = find(is.parts("id"), old.name());
      if (same == null) {
        all.add(new Part("id", old.name(), Lock.REMOVED));
      } else if (old.isRemoved()) {
        int free = 1 + all.stream().mapToInt(LockCheck::id).max().orElseThrow();
        reporter.error(
            service.element(), RpcDiagnostic.LOCKED_ID, same.name(), "a subtype of " + name, free);
      } else if (!old.type().equals(same.type())) {
        differ(service.element(), "type " + name, old.toString(), same.toString());
      }
    }
    all.sort(Comparator.comparingInt(LockCheck::id));
    return new Entry(is.kind(), is.name(), false, all);
  }

  private static int id(Part subtype) {
    return Integer.parseInt(subtype.name());
  }

  private static @Nullable Part find(List<Part> parts, String name) {
    return parts.stream().filter(part -> part.name().equals(name)).findFirst().orElse(null);
  }

  private void same(Element at, String what, List<Part> was, List<Part> is) {
    boolean isOneType = was.size() == 1 && is.size() == 1;
    if (!texts(was).equals(texts(is)) && !(isOneType && isTold(was.getFirst(), is.getFirst()))) {
      differ(at, what, String.join(", ", texts(was)), String.join(", ", texts(is)));
    }
  }

  private static List<String> texts(List<Part> parts) {
    return parts.stream().map(Part::toString).toList();
  }

  /**
   * Compares parts that are identified by their index. They may be renamed, and new ones with a
   * default may follow. A name that moves to another index is reported, because older peers would
   * take it for the part that was there.
   */
  private void inOrder(Element at, String what, List<Part> was, List<Part> is) {
    for (int i = 0; i < was.size(); i++) {
      Part old = was.get(i);
      Part same = i < is.size() ? is.get(i) : null;
      if (same == null) {
        differ(at, what, old.toString(), "nothing");
        return; // those behind it have moved because of it
      } else if (!old.type().equals(same.type()) || hasMoved(old, same, was, is)) {
        if (!isTold(old, same)) {
          differ(at, what, old.toString(), same.toString());
        }
        return;
      }
    }
    for (Part added : is.subList(Math.min(was.size(), is.size()), is.size())) {
      if (!added.optional()) {
        reporter.error(at, RpcDiagnostic.LOCKED_WITHOUT_DEFAULT, what, added);
      }
    }
  }

  /** Returns whether another part has told of the same: a type that is renamed has many uses. */
  private boolean isTold(Part old, Part same) {
    return old.name().equals(same.name()) && !changes.add(old.type() + " " + same.type());
  }

  private static boolean hasMoved(Part old, Part same, List<Part> was, List<Part> is) {
    return !old.name().equals(same.name())
        && (find(is, old.name()) != null || find(was, same.name()) != null);
  }

  private void differ(Element at, String what, String was, String is) {
    reporter.error(at, RpcDiagnostic.LOCKED, what, is, was, file);
  }
}
