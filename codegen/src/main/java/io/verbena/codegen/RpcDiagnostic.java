package io.verbena.codegen;

import java.util.Locale;
import javax.tools.Diagnostic;

/** All diagnostics of the processor. A code is never reused, and each has a test. */
public enum RpcDiagnostic {
  /** The contract. */
  NOT_AN_INTERFACE(1, "%s is not an interface. Put @RpcService on an interface."),
  EMPTY_SERVICE_NAME(2, "the service has no name. Name it, for example \"%s.v1\"."),
  GENERIC_SERVICE(3, "%s has type parameters. A contract needs definite types: remove them."),
  PRIVATE_SERVICE(4, "%s is private, so generated code cannot use it. Remove 'private'."),
  NO_METHODS(5, "%s has no @RpcMethod. Add one, or remove @RpcService."),
  GENERATED_NAME_TAKEN(6, "the class %s exists already. Rename it, or the contract."),
  NOT_A_CONTRACT(
      7,
      "%s has methods with @RpcMethod, but no @RpcService, so no code is generated. Add"
          + " @RpcService, unless a contract of another module inherits them."),
  NO_EFFECT(8, "@%s has no effect at %s. Remove it, or put it on %s."),
  NO_PARAMETER_NAMES(
      9,
      "the class file of %s has no names for the parameters of %s, so nothing would tell when they"
          + " are swapped. Compile it with -parameters, or declare the method again in this"
          + " contract."),

  /** Its methods. */
  MISSING_RPC_METHOD(10, "%s has no @RpcMethod. Add @RpcMethod(id = %d), or a body ('default')."),
  DUPLICATE_ID(11, "id %d is already used by %s. Next free id: %d."),
  ID_NOT_POSITIVE(12, "id %d is not positive. Next free id: %d."),
  GENERIC_METHOD(13, "%s has type parameters. Use definite types, or one method for each."),
  ONEWAY_RESULT(14, "%s is one-way and returns %s. Return void, or remove 'oneway'."),
  ONEWAY_ERRORS(
      15, "%s is one-way and declares exceptions, which no caller would receive. Remove them."),
  BAD_TIMEOUT(
      16, "\"%s\" is not a time. Write a positive number and a unit: 250us, 250ms, 5s, 2m or 1h."),
  NOT_ABSTRACT(17, "%s has a body, so it is never called remotely. Remove the body or @RpcMethod."),
  INTERRUPTED(
      18,
      "%s declares InterruptedException, which would be about a thread of the other end. Remove it:"
          + " an interrupted caller gets RpcException CANCELLED, and an interrupted handler may"
          + " throw that too."),
  METHOD_OF_OBJECT(
      19,
      "%s is a method of java.lang.Object, which async clients cannot return as a CompletionStage."
          + " Rename it, or remove @RpcMethod."),

  /** Types. */
  UNSUPPORTED_TYPE(
      20,
      "%s cannot be serialized. %s, or name a serializer in @RpcService(serializers = ...): by"
          + " hand, or a KryoSerializer of codec-kryo."),
  WILDCARD(21, "%s is a wildcard. %s."),
  RAW_TYPE(22, "%s lacks its type arguments. Add them."),
  OPEN_TYPE(23, "%s may have unknown subtypes. %s."),
  COLLECTION_CLASS(24, "%s is a specific collection class. Use List, Set, Map or Collection."),
  NOT_ACCESSIBLE(
      25, "%s is not visible from package %s, where the generated code is. Make it public."),
  ENDLESS_TYPE(26, "%s refers to itself with ever more type arguments. Remove this recursion."),
  NULLABLE_PRIMITIVE(27, "%s cannot be null. Use %s, or for an array '%s @Nullable []'."),
  INNER_CLASS(28, "%s belongs to an instance of its outer class. Make it static."),
  FUTURE(
      29,
      "%s is a future. Use the type of its value: async clients return every result as a"
          + " CompletionStage."),

  /** Kotlin. */
  SUSPEND(
      63,
      "%s is a suspend function. Remove 'suspend': the generated async client has the same method"
          + " with a CompletionStage, which kotlinx.coroutines awaits."),

  /** Classes, sealed types and exceptions. */
  NO_CONSTRUCTOR(
      30,
      "%s has no constructor without parameters that is visible here. Add one, make it a record, or"
          + " name a serializer in @RpcService(serializers = ...), such as a KryoSerializer of"
          + " codec-kryo."),
  NO_ACCESSOR(
      31,
      "field %s has no %s. Add one, make the field transient, or name a serializer for the class in"
          + " @RpcService(serializers = ...), such as a KryoSerializer of codec-kryo."),
  SUBTYPE_WITHOUT_ID(32, "%s is a subtype of %s and has no id. Add @RpcType(id = %d)."),
  SUBTYPE_DUPLICATE_ID(33, "id %d is already used by %s. Next free id: %d."),
  SUBTYPE_ID_NOT_POSITIVE(34, "id %d is not positive. Next free id: %d."),
  OPEN_SUBTYPE(
      35,
      "%s may have subtypes that %s does not know. Make it final, sealed or a record, or name a"
          + " serializer for the sealed type in @RpcService(serializers = ...), such as a"
          + " KryoSerializer of codec-kryo."),
  SUBTYPE_ARGUMENTS(
      36, "the type arguments of %s do not follow from %s. Give both the same type parameters."),
  EXCEPTION_CONSTRUCTOR(
      37,
      "%s has no visible constructor whose parameters are named like its accessors. Add %s"
          + " (compiled with -parameters)."),
  EXCEPTION_TOO_WIDE(
      38,
      "%s is too general for a caller. Declare an exception of your own; undeclared exceptions"
          + " arrive as RpcException."),

  UNKNOWN_ORDER(
      39,
      "the order in which %1$s declares its members is unknown: this compiler sorts them by name,"
          + " and the class file cannot be read. The order crosses the wire, so compile %1$s"
          + " together with this contract, or build with javac."),

  /** Serializers. */
  SERIALIZER_CLASS(
      40,
      "%s cannot be used as a serializer: it must be a visible class with a visible constructor"
          + " without parameters."),
  SERIALIZER_TWICE(41, "%s and %s both write %s. Keep one."),
  SERIALIZER_TYPE(
      42,
      "%s does not declare the type that it writes. Implement Serializer<T> with a definite T."),

  /** Large objects. */
  BULK_IN_VALUE(
      50, "%s cannot be part of a value. Use Landing as a parameter, Received as the result."),
  LANDING_TWICE(51, "%s has more than one Landing. Keep one."),
  LANDING_WITHOUT_RECEIVED(52, "%s has a Landing and does not return Received. Return Received."),
  RECEIVED_WITHOUT_LANDING(53, "%s returns Received and has no Landing. Add a parameter for it."),

  /** Streams. */
  STREAM_IN_VALUE(
      54,
      "%s is a stream, which cannot be part of a value. Use it as the last parameter or as the"
          + " result."),
  STREAM_TWICE(55, "%s has more than one parameter that is a stream. Keep one."),
  STREAM_NOT_LAST(56, "%s has parameters after its stream. Move the stream to the end."),
  STREAM_ONEWAY(
      57, "%s is one-way, so no caller would see the end of its stream. Remove 'oneway'."),
  STREAM_WITH_LANDING(58, "%s has a stream and a Landing. Use two methods."),

  /** Types of which no value can exist. */
  NO_INSTANCE(60, "no value of %s can be made: %s."),
  UNKNOWN_TWICE(61, "%s has more than one @RpcUnknown. Keep one."),
  UNKNOWN_WITH_MEMBERS(
      62,
      "%s stands for unknown subtypes, so it cannot hold data. Make it a record without"
          + " components."),

  /** The lock, which keeps a contract compatible with its earlier versions. */
  LOCKED(
      70,
      "%s has '%s', but earlier versions have '%s'. Restore that, and add new parts after it or"
          + " under a new id; once no peer uses those versions, delete it from %s. Rename a renamed"
          + " type there, too."),
  LOCKED_ID(
      71,
      "id %s belonged to %s, which was removed, and older peers may still use it. Free id: %d."),
  LOCKED_WITHOUT_DEFAULT(
      72,
      "%s has a new '%s' without a default, and older peers do not send it. Make it @Nullable or"
          + " Optional."),
  LOCK_UNREADABLE(73, "the lock %s cannot be used: %s."),
  LOCK_FROZEN(
      74,
      "the lock %s lacks %s. Build once without -Averbena.lock.frozen=true, and commit the lock.");

  private final int number;
  private final String text;

  RpcDiagnostic(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Returns the code, such as {@code RPC011}. */
  public String code() {
    return String.format(Locale.ROOT, "RPC%03d", number);
  }

  /** Returns whether it is an error, or a warning because the source may be right. */
  public Diagnostic.Kind kind() {
    return this == NOT_A_CONTRACT ? Diagnostic.Kind.WARNING : Diagnostic.Kind.ERROR;
  }

  /** Returns the code and the text, with the placeholders filled. */
  public String format(Object... arguments) {
    return code() + " " + String.format(Locale.ROOT, text, arguments);
  }
}
