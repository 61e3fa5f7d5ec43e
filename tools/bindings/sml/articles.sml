(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* Two programs that people write with sequences, as they write them. *)
structure Articles =
struct
  open Concord

  (* The largest sum of neighbouring numbers; 0 is that of none. *)
  fun mcss s =
    let
      val sums = Seq.scanIncl Lambdas.add 0 s
      val (mins, _) = Seq.scan Lambdas.min 0 sums
      val gains = Seq.zipwith Lambdas.sub (sums, mins)
    in
      Seq.reduce Lambdas.max 0 gains
    end

  (* Of parentheses, 1 and ~1, whether they match. *)
  fun matchParens s =
    let
      val s' = Seq.scanIncl Lambdas.add 0 s
    in
      Seq.last s' = 0 andalso Seq.reduce Lambdas.min 0 s' >= 0
    end
end
