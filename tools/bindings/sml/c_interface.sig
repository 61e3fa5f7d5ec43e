(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* What concord.sml needs of C: memory, and those functions of concord.h that
 * run a program of `sequence`. Each compiler has a structure of its own for it:
 * poly.sml, mlton.sml. *)
signature C_INTERFACE =
sig
  eqtype address
  val null : address

  val malloc : int -> address  (* of so many bytes *)
  val free : address -> unit
  (* At so many bytes behind an address. *)
  val setByte : address * int * int -> unit
  val setInt32 : address * int * int -> unit
  val setInt64 : address * int * int -> unit
  val setAddress : address * int * address -> unit
  val getByte : address * int -> int
  val getInt64 : address * int -> int
  val getAddress : address * int -> address

  (* Text that C owns. *)
  val text : address -> string

  (* A status comes back, NULL when all is well. *)
  val statusMessage : address -> address
  val statusFree : address -> unit
  val backendOpen : address * address -> address
  val kernelCreate :
    address * address * address * address * int * address -> address
  val kernelFree : address -> unit
  val kernelPlan : address * address * int * address -> address
  val kernelRun : address * address * int * address * int -> address
  val planOutputCount : address * address -> address
  val planOutput : address * int * address -> address
  val planFree : address -> unit
  val memoryAllocate : address * address * address -> address
  val memoryFree : address -> unit
  val copy : address * address * address -> address
  val explain :
    address * address * int * address * int * address -> address
  val textFree : address -> unit
end
