package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.link.LinkException;
import io.verbena.link.memory.Shortage;
import io.verbena.link.runtime.Thrown;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The reason why a transfer cannot continue, with its status. */
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

  /** Hides the directory of this file from the peer. Returns this. */
  public TransferProblem hiding(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    directory = parent == null ? null : parent + file.getFileSystem().getSeparator();
    return this;
  }

  /** Hides the name of a third party from the peer. Returns this. */
  public TransferProblem hiding(String name) {
    thirdParty = name;
    return this;
  }

  /** Allows another attempt after others have returned a resource. Returns this. */
  public TransferProblem passing(Shortage of) {
    shortage = of;
    return this;
  }

  /** Returns the missing resource; null if a wait would not help, or if nothing failed. */
  public static @Nullable Shortage shortageOf(@Nullable Throwable failure) {
    return failure instanceof TransferProblem problem ? problem.shortage : null;
  }

  /** Returns the peer's version of a message of this end. */
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
   * Returns the status of a cause. A link without memory is short of it. Exceptions of user code
   * are failures of this end.
   */
  public static RpcStatus statusOf(Throwable cause) {
    return switch (cause) {
      case TransferProblem problem -> problem.status;
      case LinkException _ -> RpcStatus.RESOURCE_EXHAUSTED;
      default -> RpcStatus.INTERNAL;
    };
  }

  /** Returns a cause in words. Messages of users' exceptions are user code, which may fail, too. */
  public static String wordsOf(Throwable cause) {
    if (cause instanceof TransferProblem || cause instanceof LinkException) {
      return String.valueOf(cause.getMessage());
    }
    return Thrown.words(cause);
  }
}
