(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* The C interface for Poly/ML. $CONCORD_LIBRARY is the library, where the
 * loader does not find libconcord.so.0 by itself. *)
structure C :> C_INTERFACE =
struct
  local
    open Foreign
    val library =
      loadLibrary
        (getOpt (OS.Process.getEnv "CONCORD_LIBRARY", "libconcord.so.0"))
    val p = cPointer
    fun function name = getSymbol library name
    fun at bytes = Word.fromInt bytes
  in
    type address = Memory.voidStar
    val null = Memory.null

    val malloc = Memory.malloc o Word.fromInt
    val free = Memory.free
    (* Poly/ML counts in elements. *)
    fun setByte (a, bytes, x) = Memory.set8 (a, at bytes, Word8.fromInt x)
    fun setInt32 (a, bytes, x) =
      Memory.set32 (a, at (bytes div 4), Word32.fromInt x)
    (* An int of Poly/ML has 63 bits, and its sign is not extended. *)
    fun setInt64 (a, bytes, x) =
      Memory.set64 (a, at (bytes div 8), LargeWord.fromLargeInt (Int.toLarge x))
    fun setAddress (a, bytes, x) = Memory.setAddress (a, at (bytes div 8), x)
    fun getByte (a, bytes) = Word8.toInt (Memory.get8 (a, at bytes))
    fun getInt64 (a, bytes) =
      Int.fromLarge
        (LargeWord.toLargeIntX (Memory.get64 (a, at (bytes div 8))))
    fun getAddress (a, bytes) = Memory.getAddress (a, at (bytes div 8))

    fun text a =
      let
        fun from i =
          case getByte (a, i) of
            0 => []
          | c => Char.chr c :: from (i + 1)
      in
        String.implode (from 0)
      end

    val statusMessage = buildCall1 (function "concord_status_message", p, p)
    val statusFree = buildCall1 (function "concord_status_free", p, cVoid)
    val backendOpen = buildCall2 (function "concord_backend_open", (p, p), p)
    val kernelCreate =
      buildCall6 (function "concord_kernel_create",
                  (p, p, p, p, cUlong, p), p)
    val kernelFree = buildCall1 (function "concord_kernel_free", p, cVoid)
    val kernelPlan =
      buildCall4 (function "concord_kernel_plan", (p, p, cUlong, p), p)
    val kernelRun =
      buildCall5 (function "concord_kernel_run", (p, p, cUlong, p, cUlong), p)
    val planOutputCount =
      buildCall2 (function "concord_plan_output_count", (p, p), p)
    val planOutput =
      buildCall3 (function "concord_plan_output", (p, cUlong, p), p)
    val planFree = buildCall1 (function "concord_plan_free", p, cVoid)
    val memoryAllocate =
      buildCall3 (function "concord_memory_allocate", (p, p, p), p)
    val memoryFree = buildCall1 (function "concord_memory_free", p, cVoid)
    val copy = buildCall3 (function "concord_copy", (p, p, p), p)
    val explain =
      buildCall6 (function "concord_explain",
                  (p, p, cUlong, p, cUlong, p), p)
    val textFree = buildCall1 (function "concord_text_free", p, cVoid)
  end
end
