package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.link.LinkException;
import io.verbena.link.memory.Shortage;
import io.verbena.link.runtime.Thrown;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Why a transfer cannot go on, with the status that says what kind of reason that is. */
public final class TransferProblem extends Exception {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;
  private @Nullable String directory;
  private @Nullable String thirdParty;
  private transient @Nullable Shortage shortage;

  public TransferProblem(RpcStatus status, String message) {
    this(status, message, null);
  }

  public TransferProblem(RpcStatus status, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  public RpcStatus status() {
    return status;
  }

  /** Has the peer not learn where a file of this end's is; returns this. */
  public TransferProblem hiding(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    directory = parent == null ? null : parent + file.getFileSystem().getSeparator();
    return this;
  }

  /** Has the peer not learn who somebody else is that this end has to do with; returns this. */
  public TransferProblem hiding(String name) {
    thirdParty = name;
    return this;
  }

  /** It may be tried again when others have given something back. Returns this. */
  public TransferProblem passing(Shortage of) {
    shortage = of;
    return this;
  }

  /** Returns what is to be waited for; null where it is not expected to pass, or nothing failed. */
  public static @Nullable Shortage shortageOf(@Nullable Throwable failure) {
    return failure instanceof TransferProblem problem ? problem.shortage : null;
  }

  /** Returns what the peer is told of a failure that has these words here. */
  public static String toldToPeer(String words, @Nullable Throwable cause) {
    String told = words;
    if (cause instanceof TransferProblem problem) {
      told = problem.directory == null ? told : told.replace(problem.directory, "");
      told = problem.thirdParty == null ? told : told.replace(problem.thirdParty, "another peer");
    }
    FileTrouble file = cause == null ? null : FileTrouble.in(cause);
    return file == null ? told : file.hiddenIn(told);
  }

  /**
   * Returns what a cause stands for: a link that cannot have memory is short of it; whatever users'
   * code throws is their end's failure.
   */
  public static RpcStatus statusOf(Throwable cause) {
    return switch (cause) {
      case TransferProblem problem -> problem.status;
      case LinkException _ -> RpcStatus.RESOURCE_EXHAUSTED;
      default -> RpcStatus.INTERNAL;
    };
  }

  /** Returns a cause in words. Those of users' exceptions are users' code, which may fail, too. */
  public static String wordsOf(Throwable cause) {
    if (cause instanceof TransferProblem || cause instanceof LinkException) {
      return String.valueOf(cause.getMessage());
    }
    return Thrown.words(cause);
  }
}
