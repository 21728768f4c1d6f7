package io.verbena.core.call;

/** The kinds of failures of users' code. */
public enum Outburst {
  EXCEPTION,
  EXCEPTION_WITHOUT_WORDS,
  ERROR,
  ERROR_WITHOUT_WORDS,
  CHECKED,
  LINKAGE,
  OUT_OF_MEMORY,
  STACK_OVERFLOW;

  private static final class Wordless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new AssertionError("its message throws, too");
    }
  }

  private static final class WordlessError extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new AssertionError("its words throw, too");
    }

    @Override
    public String getMessage() {
      return toString();
    }
  }

  /** Throws; the result type is for those who have to return something. */
  @SuppressWarnings({"TypeParameterUnusedInFormals", "DoNotCallSuggester"})
  public <T> T of() {
    throw Outburst.<RuntimeException>sneaky(
        switch (this) {
          case EXCEPTION -> new IllegalStateException("as exceptions go");
          case EXCEPTION_WITHOUT_WORDS -> new Wordless();
          case ERROR -> new AssertionError("as errors go");
          case ERROR_WITHOUT_WORDS -> new WordlessError();
          case CHECKED -> new Exception("sneaked through");
          case LINKAGE -> new NoClassDefFoundError("left/out/of/the/Jar");
          case OUT_OF_MEMORY -> new OutOfMemoryError("only said so");
          case STACK_OVERFLOW -> new StackOverflowError();
        });
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the point
  private static <E extends Throwable> E sneaky(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
