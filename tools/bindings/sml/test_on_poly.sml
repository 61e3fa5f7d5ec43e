(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* poly --script test_on_poly.sml BACKEND...: test.sml, by Poly/ML. *)
app use ["c_interface.sig", "poly.sml", "concord.sml", "articles.sml", "test.sml"];

val () = main (List.drop (CommandLine.arguments (), 2))
