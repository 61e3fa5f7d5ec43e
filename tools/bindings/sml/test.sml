(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* The structure Concord on the backends that are named, against plain loops.
 * Ends with "passed", or with what failed and status 1. *)
open Concord

fun expect what (got, wanted) =
  if got = wanted then ()
  else raise Fail (what ^ ": " ^ got ^ ", not " ^ wanted)
fun ints what (got, wanted) =
  expect what (Int.toString got, Int.toString wanted)
fun bools what (got, wanted) =
  expect what (Bool.toString got, Bool.toString wanted)
fun vectors what (got, wanted) =
  let
    fun show v =
      String.concatWith " " (map Int.toString (Vector.foldr (op ::) [] v))
  in
    expect what (show got, show (Vector.fromList wanted))
  end
fun failure f = (ignore (f ()); "nothing") handle Concord message => message

fun plainMcss values =
  #1 (foldl (fn (x, (best, here)) =>
               let val here = Int.max (here + x, 0)
               in (Int.max (best, here), here) end) (0, 0) values)
fun plainMatch values =
  let
    fun go ([], depth) = depth = 0
      | go (x :: rest, depth) = depth + x >= 0 andalso go (rest, depth + x)
  in
    go (values, 0)
  end

(* The same numbers each time. *)
fun numbers (n, low, high) =
  let
    fun go (0, _) = []
      | go (k, seed) =
          let val seed = (seed * 48271 + 11) mod 2147483647
          in low + seed mod (high - low + 1) :: go (k - 1, seed) end
  in
    go (n, n + 1)
  end

fun testOn name =
  let
    val b = backend name
    val s = Seq.fromList b [3, 1, 4, 1, 5]
  in
    vectors "map" (Seq.toVector (Seq.map "2 * x + 1" s), [7, 3, 9, 3, 11]);
    vectors "filter" (Seq.toVector (Seq.filter "x % 3 == 1" s), [1, 4, 1]);
    vectors "scanIncl"
      (Seq.toVector (Seq.scanIncl Lambdas.add 0 s), [3, 4, 8, 9, 14]);
    let val (left, total) = Seq.scan Lambdas.mul 1 s
    in
      vectors "scan" (Seq.toVector left, [1, 3, 3, 12, 12]);
      vectors "its total" (Seq.toVector total, [60])
    end;
    vectors "zipwith"
      (Seq.toVector (Seq.zipwith Lambdas.sub (s, Seq.fromList b [1, 1, 1, 1, 9])),
       [2, 0, 3, 0, ~4]);
    vectors "tabulate" (Seq.toVector (Seq.tabulate b "i * i - 2" 4), [~2, ~1, 2, 7]);
    ints "reduce" (Seq.reduce Lambdas.max ~9 s, 5);
    ints "reduce of nothing" (Seq.reduce Lambdas.max ~9 (Seq.fromList b []), ~9);
    ints "last" (Seq.last s, 5);
    ints "length" (Seq.length s, 5);
    bools "explain"
      (String.isSubstring "\"least_bytes_read\": 40"
         (Seq.explain (Seq.map "2 * x + 1" s)), true);
    let val half = Seq.map "x +" s
    in
      expect "a mistake that is explained"
        (failure (fn () => Seq.explain half),
         failure (fn () => Seq.toVector half))
    end;
    expect "a mistake"
      (Bool.toString
         (String.isSubstring "not associative"
            (failure (fn () => Seq.reduce "a - b" 0 s))), "true");
    expect "a zero in a text"
      (failure (fn () => Seq.toVector (Seq.map "x\000 + 1" s)),
       "a text has a zero in it");
    app (fn f =>
           expect "two columns"
             (failure (fn () => Seq.toVector (f s)),
              "the result has several columns"))
      [Seq.map "(x, 1000000000 * x)",
       Seq.map "(x, 1000000000 * x)" o Seq.filter "x % 3 == 1"];
    ints "reduce from the least int"
      (Seq.reduce Lambdas.max (valOf Int.minInt) s, 5);
    app (fn n =>
           let val values = numbers (n, ~9, 9)
           in
             ints "mcss" (Articles.mcss (Seq.fromList b values), plainMcss values)
           end) [0, 1, 2, 100, 3000];
    app (fn values =>
           bools "matchParens"
             (Articles.matchParens (Seq.fromList b values), plainMatch values))
      [[1, ~1], [1, 1, ~1, 1, ~1, ~1], [~1, 1], [1, 1, ~1],
       List.tabulate (2000, fn i => if i < 1000 then 1 else ~1)]
  end

fun message (Concord words) = words
  | message failure = exnMessage failure

fun main backends =
  (app testOn backends;
   expect "a backend that there is not"
     (Bool.toString
        (String.isSubstring "unknown backend 'gpu'"
           (failure (fn () => backend "gpu"))), "true");
   print "passed\n")
  handle failure =>
    (print (message failure ^ "\n"); OS.Process.exit OS.Process.failure)
