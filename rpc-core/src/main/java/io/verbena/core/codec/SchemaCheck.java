package io.verbena.core.codec;

import io.verbena.api.stub.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds where two ends' contracts do not fit. What fits although it differs: methods, subtypes and
 * trailing enum constants that one end has more; trailing parameters and members that have a
 * default; trailing declared exceptions, which the other end sees as INTERNAL.
 */
public final class SchemaCheck {
  private final List<String> mismatches = new ArrayList<>();

  private SchemaCheck() {}

  /**
   * Compares two schemas of one service.
   *
   * @param here this end's
   * @param there the peer's
   * @return what does not fit, in words that name the type and the member; empty if all does
   */
  public static List<String> mismatches(Schema here, Schema there) {
    SchemaCheck check = new SchemaCheck();
    Map<Integer, Schema.Method> methods = new HashMap<>();
    there.methods().forEach(method -> methods.put(method.id(), method));
    for (Schema.Method mine : here.methods()) {
      Schema.Method theirs = methods.get(mine.id());
      if (theirs != null) {
        check.method(mine, theirs);
      }
    }
    Map<String, Schema.Type> types = new HashMap<>();
    there.types().forEach(type -> types.put(type.name(), type));
    for (Schema.Type mine : here.types()) {
      Schema.Type theirs = types.get(mine.name());
      if (theirs != null) {
        check.type(mine, theirs);
      }
    }
    return check.mismatches;
  }

  private void method(Schema.Method mine, Schema.Method theirs) {
    String what = "method " + mine.name() + " (id " + mine.id() + ")";
    if (mine.oneway() != theirs.oneway()) {
      differ(what, mine.oneway() ? "one-way" : "two-way", theirs.oneway() ? "one-way" : "two-way");
    }
    if (!mine.result().equals(theirs.result())) {
      differ(what + " returns", mine.result(), theirs.result());
    }
    int errors = Math.min(mine.errors().size(), theirs.errors().size());
    if (!mine.errors().subList(0, errors).equals(theirs.errors().subList(0, errors))) {
      differ(what + " throws", mine.errors().toString(), theirs.errors().toString());
    }
    inOrder(what, "parameter", mine.parameters(), theirs.parameters());
  }

  private void type(Schema.Type mine, Schema.Type theirs) {
    String what = "type " + mine.name();
    if (mine.kind() != theirs.kind()) {
      differ(what, mine.kind().toString(), theirs.kind().toString());
      return;
    }
    switch (mine.kind()) {
      case RECORD -> inOrder(what, "member", mine.members(), theirs.members());
      case ENUM -> constants(what, mine.members(), theirs.members());
      case SEALED -> subtypes(what, mine.members(), theirs.members());
      case CUSTOM -> classIds(what, mine.members(), theirs.members());
    }
  }

  private void inOrder(
      String what, String kind, List<Schema.Member> mine, List<Schema.Member> theirs) {
    int common = Math.min(mine.size(), theirs.size());
    for (int i = 0; i < common; i++) {
      Schema.Member a = mine.get(i);
      Schema.Member b = theirs.get(i);
      if (!a.type().equals(b.type()) || !a.name().equals(b.name())) {
        differ(what + ", " + kind + " " + (i + 1), words(a), words(b));
      }
    }
    List<Schema.Member> longer = mine.size() > theirs.size() ? mine : theirs;
    String end = longer == mine ? "here" : "there";
    for (int i = common; i < longer.size(); i++) {
      Schema.Member extra = longer.get(i);
      if (!extra.optional()) {
        mismatches.add(
            "%s: %s '%s' exists only %s and has no default: make it @Nullable or Optional"
                .formatted(what, kind, words(extra), end));
      }
    }
  }

  private static String words(Schema.Member member) {
    return member.type().isEmpty() ? member.name() : member.name() + ": " + member.type();
  }

  private void constants(String what, List<Schema.Member> mine, List<Schema.Member> theirs) {
    for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
      if (!mine.get(i).name().equals(theirs.get(i).name())) {
        differ(what + ", constant " + i, mine.get(i).name(), theirs.get(i).name());
      }
    }
  }

  /** Neither may an id change its subtype, nor a subtype its id. */
  private void subtypes(String what, List<Schema.Member> mine, List<Schema.Member> theirs) {
    Map<String, String> typesById = new HashMap<>();
    Map<String, String> idsByType = new HashMap<>();
    for (Schema.Member member : theirs) {
      typesById.put(member.name(), member.type());
      idsByType.put(member.type(), member.name());
    }
    for (Schema.Member member : mine) {
      String type = typesById.getOrDefault(member.name(), member.type());
      if (!type.equals(member.type())) {
        differ(what + ", subtype with id " + member.name(), member.type(), type);
      }
      String id = idsByType.getOrDefault(member.type(), member.name());
      if (!id.equals(member.name())) {
        differ(what + ", id of subtype " + member.type(), member.name(), id);
      }
    }
  }

  private void classIds(String what, List<Schema.Member> mine, List<Schema.Member> theirs) {
    String here = mine.isEmpty() ? "none" : mine.getFirst().name();
    String there = theirs.isEmpty() ? "none" : theirs.getFirst().name();
    if (!here.equals(there)) {
      differ(what + ", class id of its serializer", here, there);
    }
  }

  private void differ(String what, String here, String there) {
    mismatches.add(what + " is '" + here + "' here and '" + there + "' there");
  }
}
