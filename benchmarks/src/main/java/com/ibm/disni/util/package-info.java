/**
 * Stand-ins, in front of DiSNI's own on the class path, for the two helpers that DaRPC calls and
 * that JDK 25 does not let run without flags or a native library.
 */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
