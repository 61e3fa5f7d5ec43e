(* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 *)

(* Sequences of integers, on any backend of Concord's. Operations are lazy: they
 * put a program of `sequence` together, which runs as a whole when a number or
 * a vector is asked for. *)
signature CONCORD =
sig
  exception Concord of string

  type backend
  (* "serial", "tbb", "tbb:8", "cuda", "cuda:1" or "auto". *)
  val backend : string -> backend

  (* Text of the language of `sequence`: of a and b for two operands, of x for
   * an element, of x and y for those of two sequences. *)
  structure Lambdas :
  sig
    val add : string
    val sub : string
    val mul : string
    val min : string
    val max : string
  end

  structure Seq :
  sig
    type seq
    val fromVector : backend -> int vector -> seq
    val fromList : backend -> int list -> seq
    val tabulate : backend -> string -> int -> seq  (* of i *)

    val map : string -> seq -> seq
    val filter : string -> seq -> seq
    val zipwith : string -> seq * seq -> seq
    (* An operator and the element to start with. *)
    val scanIncl : string -> int -> seq -> seq
    (* What stands before each element, and the total, a sequence of one. *)
    val scan : string -> int -> seq -> seq * seq

    (* These run. *)
    val reduce : string -> int -> seq -> int
    val last : seq -> int
    val length : seq -> int
    val toVector : seq -> int vector
    (* What they run. *)
    val program : seq -> string
    (* Its steps and what each reads and writes, as JSON; nothing runs. *)
    val explain : seq -> string
  end
end

structure Concord :> CONCORD =
struct
  exception Concord of string

  (* --- Calls of C --- *)

  fun check status =
    if status = C.null then ()
    else
      let val message = C.text (C.statusMessage status)
      in C.statusFree status; raise Concord message end

  (* `f keep`, where `keep free x` is x, which is freed in the end, also where
   * something fails. *)
  fun scope f =
    let
      val kept = ref []
      fun keep free x = (kept := (fn () => free x) :: !kept; x)
      fun freeAll () = List.app (fn free => free ()) (!kept)
      val result = f keep handle failure => (freeAll (); raise failure)
    in
      freeAll (); result
    end

  fun bytes keep n = keep C.free (C.malloc (Int.max (n, 8)))
  (* C's texts end at their first zero. *)
  fun checkText s =
    if Char.contains s #"\000" then raise Concord "a text has a zero in it"
    else ()
  fun text keep s =
    let
      val () = checkText s
      val a = bytes keep (size s + 1)
    in
      CharVector.appi (fn (i, c) => C.setByte (a, i, Char.ord c)) s;
      C.setByte (a, size s, 0);
      a
    end
  (* What a function of C writes to the place that it is given. *)
  fun written keep call =
    let val place = bytes keep 8
    in check (call place); place end
  fun made keep call = C.getAddress (written keep call, 0)

  (* A concord_array, as C lays its members out: seven words. *)
  val words = [0, 8, 16, 24, 32, 40, 48]
  val arrayBytes = 56
  fun copyArray (from, to, at) =
    List.app (fn w => C.setInt64 (to, at + w, C.getInt64 (from, w))) words
  fun newArray keep =
    let val a = bytes keep arrayBytes
    in List.app (fn w => C.setInt64 (a, w, 0)) words; a end
  fun int64s keep (name, data, shape) =
    let val a = newArray keep
    in
      C.setAddress (a, 0, name);
      C.setAddress (a, 8, data);
      C.setInt32 (a, 16, 1);  (* the CPU *)
      C.setInt32 (a, 24, 1);  (* dimension *)
      C.setByte (a, 29, 64);  (* bits of an integer *)
      C.setByte (a, 30, 1);  (* lane *)
      C.setAddress (a, 32, shape);
      a
    end
  fun copyOfArray keep from =
    let val a = newArray keep
    in copyArray (from, a, 0); a end
  fun inOneBlock keep arrays =
    let
      val block = bytes keep (arrayBytes * length arrays)
      fun put (_, []) = ()
        | put (at, array :: rest) =
            (copyArray (array, block, at); put (at + arrayBytes, rest))
    in
      put (0, arrays); block
    end

  (* --- Backends --- *)

  type backend = C.address

  (* It is there as long as the program. *)
  fun backend name =
    scope (fn keep =>
      made keep (fn place => C.backendOpen (text keep name, place)))

  structure Lambdas =
  struct
    val add = "a + b"
    val sub = "x - y"
    val mul = "a * b"
    val min = "min(a, b)"
    val max = "max(a, b)"
  end

  structure Seq =
  struct
    (* Steps of a program, "s4 = s2 |> map x + 1", and the columns that they
     * begin with, each with its number, by which they are sorted. *)
    type seq = {backend : backend, columns : (int * int vector) list,
                steps : (int * string) list, number : int}

    val numbered = ref 0
    fun next () = (numbered := !numbered + 1; !numbered)

    fun name n = "s" ^ Int.toString n
    (* Not by ~n, which the least int has not. *)
    fun literal n =
      String.map (fn c => if c = #"~" then #"-" else c) (Int.toString n)

    fun union ([], all) = all
      | union (all, []) = all
      | union (a as ((i : int, x) :: s), b as ((k, y) :: t)) =
          if i < k then (i, x) :: union (s, b)
          else if k < i then (k, y) :: union (a, t)
          else (i, x) :: union (s, t)

    fun fromVector backend values : seq =
      let val n = next ()
      in {backend = backend, columns = [(n, values)], steps = [], number = n} end
    fun fromList backend = fromVector backend o Vector.fromList

    fun step ({backend, columns, steps, ...} : seq) words : seq =
      let val n = next ()
      in
        {backend = backend, columns = columns, steps = steps @ [(n, words)],
         number = n}
      end
    fun after (s : seq) words = step s (name (#number s) ^ " |> " ^ words)

    fun tabulate backend f n =
      step {backend = backend, columns = [], steps = [], number = 0}
        ("tabulate int64(" ^ f ^ "), " ^ literal n)
    fun map f s = after s ("map " ^ f)
    fun filter f s = after s ("filter " ^ f)
    fun zipwith f (s : seq, t : seq) =
      step
        {backend = #backend s, columns = union (#columns s, #columns t),
         steps = union (#steps s, #steps t), number = 0}
        ("zip " ^ name (#number s) ^ " " ^ name (#number t) ^ " |> map " ^ f)
    fun scanIncl f b s = after s ("scan " ^ f ^ " from " ^ literal b)
    fun total f b s = after s ("reduce " ^ f ^ " from " ^ literal b)
    fun scan f b s =
      (after s ("scan_before " ^ f ^ " from " ^ literal b), total f b s)

    (* Columns have the names x, y, z and w in a call. *)
    val columnNames = ["x", "y", "z", "w"]
    fun program ({columns, steps, number, ...} : seq) =
      let
        val given =
          ListPair.map (fn ((n, _), column) => name n ^ " = " ^ column ^ "; ")
            (columns, columnNames)
        val named = List.map (fn (n, words) => name n ^ " = " ^ words ^ "; ") steps
      in
        String.concat (given @ named @ [name number])
      end

    fun hostColumn keep (column, values) =
      let
        val data = bytes keep (8 * Vector.length values)
        val shape = bytes keep 8
      in
        Vector.appi (fn (i, x) => C.setInt64 (data, 8 * i, x)) values;
        C.setInt64 (shape, 0, Vector.length values);
        int64s keep (text keep column, data, shape)
      end
    (* The same in memory of the backend's. *)
    fun allocated keep backend array =
      (keep C.memoryFree
         (made keep (fn place => C.memoryAllocate (backend, array, place)));
       array)
    fun onBackend keep backend host =
      let val array = allocated keep backend (copyOfArray keep host)
      in check (C.copy (backend, host, array)); array end
    fun onHost keep backend array =
      let
        val host = copyOfArray keep array
        val size = C.getInt64 (C.getAddress (array, 32), 0)
      in
        if C.getByte (array, 28) = 0 andalso C.getByte (array, 29) = 64 then ()
        else raise Concord "the elements of the result are not int64";
        C.setAddress (host, 8, bytes keep (8 * size));
        C.setInt32 (host, 16, 1);
        C.setInt32 (host, 20, 0);
        check (C.copy (backend, array, host));
        (C.getAddress (host, 8), size)
      end

    fun planned keep backend plan =
      let
        val count =
          C.getInt64
            (written keep (fn place => C.planOutputCount (plan, place)), 0)
        fun output i =
          let val array = newArray keep
          in
            check (C.planOutput (plan, i, array));
            allocated keep backend array
          end
      in
        List.tabulate (count, output)
      end

    (* Those of several columns are "out", "out_y" and so on. *)
    fun named name outputs =
      List.find (fn array => C.text (C.getAddress (array, 0)) = name) outputs
    fun onlyColumn outputs =
      case (named "out" outputs, named "out_y" outputs) of
        (SOME column, NONE) => column
      | _ => raise Concord "the result has several columns"

    (* What `f` makes of the program as an option and of its columns. *)
    fun called (s as {columns, ...} : seq) f =
      if length columns > length columnNames
      then raise Concord "a program has four columns at most"
      else scope (fn keep =>
        let
          val options = bytes keep 8
          val () =
            C.setAddress (options, 0, text keep ("program=" ^ program s))
          fun host ((_, values), column) = hostColumn keep (column, values)
        in
          f (keep, options, ListPair.map host (columns, columnNames))
        end)

    fun explain s =
      called s (fn (keep, options, hosts) =>
        C.text (keep C.textFree (made keep (fn place =>
          C.explain
            (text keep "sequence", options, 1, inOneBlock keep hosts,
             length hosts, place)))))

    fun toVector (s as {backend, ...} : seq) =
      called s (fn (keep, options, hosts) =>
        let
          val kernel =
            keep C.kernelFree
              (made keep (fn place =>
                 C.kernelCreate
                   (backend, text keep "sequence", C.null, options, 1, place)))
          val inputs =
            inOneBlock keep (List.map (onBackend keep backend) hosts)
          val plan =
            keep C.planFree
              (made keep (fn place =>
                 C.kernelPlan (kernel, inputs, length hosts, place)))
          val outputs = planned keep backend plan
          val column = onlyColumn outputs
          val () =
            check
              (C.kernelRun
                 (kernel, inputs, length hosts, inOneBlock keep outputs,
                  length outputs))
          val (data, room) = onHost keep backend column
          (* A filter has another output: how many there are. *)
          val size =
            case named "count" outputs of
              NONE => room
            | SOME count => C.getInt64 (#1 (onHost keep backend count), 0)
        in
          if size > room
          then raise Concord "the result has more elements than room"
          else Vector.tabulate (size, fn i => C.getInt64 (data, 8 * i))
        end)

    fun only s = Vector.sub (toVector s, 0)
    fun reduce f b s = only (total f b s)
    fun last s = only (after s "last")
    fun length s = only (after s "count")
  end
end
