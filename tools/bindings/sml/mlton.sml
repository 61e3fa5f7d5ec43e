(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* The C interface for MLton, which links libconcord. *)
structure C :> C_INTERFACE =
struct
  structure P = MLton.Pointer
  type address = P.t
  val null = P.null

  val cMalloc = _import "malloc" : C_Size.word -> address;
  val cFree = _import "free" : address -> unit;
  fun malloc bytes = cMalloc (C_Size.fromInt bytes)
  val free = cFree
  (* MLton counts in elements. *)
  fun setByte (a, bytes, x) = P.setWord8 (a, bytes, Word8.fromInt x)
  fun setInt32 (a, bytes, x) = P.setInt32 (a, bytes div 4, Int32.fromInt x)
  fun setInt64 (a, bytes, x) = P.setInt64 (a, bytes div 8, Int64.fromInt x)
  fun setAddress (a, bytes, x) = P.setPointer (a, bytes div 8, x)
  fun getByte (a, bytes) = Word8.toInt (P.getWord8 (a, bytes))
  fun getInt64 (a, bytes) = Int64.toInt (P.getInt64 (a, bytes div 8))
  fun getAddress (a, bytes) = P.getPointer (a, bytes div 8)

  fun text a =
    let
      fun from i =
        case getByte (a, i) of
          0 => []
        | c => Char.chr c :: from (i + 1)
    in
      String.implode (from 0)
    end

  val statusMessage = _import "concord_status_message" : address -> address;
  val statusFree = _import "concord_status_free" : address -> unit;
  val backendOpen =
    _import "concord_backend_open" : address * address -> address;
  val create =
    _import "concord_kernel_create" :
      address * address * address * address * C_Size.word * address -> address;
  fun kernelCreate (a, b, c, d, n, e) = create (a, b, c, d, C_Size.fromInt n, e)
  val kernelFree = _import "concord_kernel_free" : address -> unit;
  val plan =
    _import "concord_kernel_plan" :
      address * address * C_Size.word * address -> address;
  fun kernelPlan (a, b, n, c) = plan (a, b, C_Size.fromInt n, c)
  val run =
    _import "concord_kernel_run" :
      address * address * C_Size.word * address * C_Size.word -> address;
  fun kernelRun (a, b, n, c, m) =
    run (a, b, C_Size.fromInt n, c, C_Size.fromInt m)
  val planOutputCount =
    _import "concord_plan_output_count" : address * address -> address;
  val output =
    _import "concord_plan_output" : address * C_Size.word * address -> address;
  fun planOutput (a, n, b) = output (a, C_Size.fromInt n, b)
  val planFree = _import "concord_plan_free" : address -> unit;
  val memoryAllocate =
    _import "concord_memory_allocate" : address * address * address -> address;
  val memoryFree = _import "concord_memory_free" : address -> unit;
  val copy = _import "concord_copy" : address * address * address -> address;
  val explained =
    _import "concord_explain" :
      address * address * C_Size.word * address * C_Size.word * address
      -> address;
  fun explain (a, b, n, c, m, d) =
    explained (a, b, C_Size.fromInt n, c, C_Size.fromInt m, d)
  val textFree = _import "concord_text_free" : address -> unit;
end
