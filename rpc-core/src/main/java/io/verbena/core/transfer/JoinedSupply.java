package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Several pieces as one object. Each piece has its own kind of supply, which starts when its turn
 * comes.
 */
final class JoinedSupply extends Supply {
  private final List<Part> parts = new ArrayList<>();
  private final boolean keepsUnconfirmed;
  private int confirmed;

  private static final class Part {
    final Supply supply;
    final long start;
    final long end;
    boolean begun;

    Part(Supply supply, long start, long end) {
      this.supply = supply;
      this.start = start;
      this.end = end;
    }
  }

  JoinedSupply(BulkTransfer owner, List<OpenSource> pieces, Function<OpenSource, Supply> supplies) {
    super(owner);
    long start = 0;
    for (OpenSource piece : pieces) {
      long end = start + piece.length();
      parts.add(new Part(supplies.apply(piece), start, end));
      start = end;
    }
    keepsUnconfirmed = parts.stream().anyMatch(part -> part.supply.keepsUnconfirmed());
  }

  @Override
  void begin(boolean ahead) {}

  private Part partAt(long at) {
    int first = 0;
    int last = parts.size() - 1;
    while (first < last) {
      int middle = (first + last + 1) >>> 1;
      if (parts.get(middle).start <= at) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    return parts.get(first);
  }

  @Override
  int ready(BulkPath path, long at, int most) {
    Part part = partAt(at);
    if (!part.begun) {
      part.begun = true;
      addUser();
      part.supply.begin(true);
    }
    return part.supply.ready(path, at - part.start, (int) Math.min(most, part.end - at));
  }

  @Override
  boolean hasReady(long at) {
    Part part = partAt(at);
    return part.begun && part.supply.hasReady(at - part.start);
  }

  @Override
  SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, IOException, TransferProblem {
    Part part = partAt(piece.at());
    Piece within =
        new Piece(piece.at() - part.start, piece.targetAt(), piece.length(), piece.checkpoint());
    return part.supply.write(path, target, within, whenOver);
  }

  @Override
  boolean keepsUnconfirmed() {
    return keepsUnconfirmed;
  }

  @Override
  boolean waitsForConfirmation(long at) {
    Part part = partAt(at - 1); // the part that ends here
    return part.supply.waitsForConfirmation(at - part.start);
  }

  @Override
  void confirmed(long upTo) {
    while (confirmed < parts.size() && parts.get(confirmed).end <= upTo) {
      close(parts.get(confirmed++));
    }
    if (confirmed < parts.size()) {
      Part part = parts.get(confirmed);
      part.supply.confirmed(upTo - part.start);
    }
  }

  private void close(Part part) {
    if (part.begun && !part.supply.isClosed()) {
      part.supply.close(this::removeUser);
    }
  }

  @Override
  void onClose() {
    parts.forEach(this::close);
  }
}
