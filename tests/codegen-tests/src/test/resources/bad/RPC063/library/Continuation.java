package kotlin.coroutines;

/** Stands for Kotlin's. */
public interface Continuation<T> {}
