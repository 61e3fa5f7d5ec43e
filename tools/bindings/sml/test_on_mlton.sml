(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* test.sml, by MLton: the program of test_on_mlton.mlb. *)
val () = main (CommandLine.arguments ())
