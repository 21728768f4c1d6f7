package io.verbena.verbs.ext;

/** Finds the extension interface of a DiSNI object. */
final class Extensions {
  private Extensions() {}

  static <T> T of(Object object, Class<T> extension) {
    if (extension.isInstance(object)) {
      return extension.cast(object);
    }
    throw new IllegalArgumentException(
        object.getClass().getName()
            + " does not implement "
            + extension.getSimpleName()
            + ": it comes from a provider without these extensions. Make DiSNI objects by a"
            + " VerbsProvider, or install one with verbs-disni's DisniBridge before the first.");
  }
}
