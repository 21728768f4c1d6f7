/**
 * Stand-ins for the two helpers of DiSNI's that JDK 25 does not let run without flags or a native
 * library: threads of active endpoint groups call one, programs with direct buffers the other. They
 * count where this jar is in front of DiSNI's on the class path.
 */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
