# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a report draws over options and over members, of made-up rows."""

import unittest

import chart
import families
import recorded_run
import report_page
import report_tables
import scaling_views
import verdicts
import views


def _row(name, seconds=1e-3, **more):
    return recorded_run.Row({
        "name": f"{name}/uniform/kernel/hot", "real_time": seconds * 1e6, "time_unit": "us",
        "elements_per_second": 1 / seconds, "floor_bytes_per_second": 1 / seconds,
        "copy_share": 0.5, "ceiling_share": 0.5, **more})


def _run(rows, label="run", **context):
    return families.Run(label, context, rows)


def _axes(rows):
    """(axis, case, places) of each family."""
    return [(family.axis, "/".join(family.case[:-3]), family.places())
            for family in families.families([_run(rows)])]


class FamiliesTest(unittest.TestCase):
    def test_numbers_that_vary_are_axes(self):
        rows = [_row(f"scan/cuda/naive/int32/n:{n}/op:add/block:{block}")
                for n in (8, 9) for block in (32, 64)]
        self.assertEqual(_axes(rows), [
            ("size", "int32/op:add/block:32", [8, 9]), ("size", "int32/op:add/block:64", [8, 9]),
            ("block", "int32/n:8/op:add", [32, 64]), ("block", "int32/n:9/op:add", [32, 64])])

    def test_one_size_alone_is_no_figure_where_an_option_is(self):
        rows = [_row(f"scan/cuda/naive/int32/n:8/block:{block}") for block in (32, 64)]
        self.assertEqual(_axes(rows), [("block", "int32/n:8", [32, 64])])

    def test_rows_are_over_the_size_where_nothing_varies(self):
        self.assertEqual(_axes([_row("scan/cuda/naive/int32/n:8/block:32/op:add")]),
                         [("size", "int32/block:32/op:add", [8])])

    def test_size_that_follows_from_an_option_gives_way_to_it(self):
        rows = [_row(f"look_and_say/tbb/atoms/uint8/n:{2**steps}", case_options={"steps": str(steps)})
                for steps in (5, 7, 30)]
        self.assertEqual(_axes(rows), [("steps", "uint8", [5, 7, 30])])

    def test_values_that_are_no_numbers_are_no_axes(self):
        rows = [_row(f"scan/cuda/naive/int32/n:8/keep:{keep}") for keep in ("less:3", "1,5")]
        self.assertEqual([axis for axis, *_ in _axes(rows)], ["size", "size"])

    def test_plots_name_the_axis_and_keep_even_steps_even(self):
        rows = [_row(f"look_and_say/tbb/atoms/uint8/n:8/steps:{steps}") for steps in (10, 20, 30)]
        (family,) = families.families([_run(rows)])
        text = chart.draw(views.plots([_run(rows)], family)["time"])
        self.assertIn(">steps</text>", text)
        ticks = [text.index(f">{steps}</text>") for steps in (10, 20, 30)]
        left, middle, right = (float(text[:at].rpartition('x="')[2].partition('"')[0])
                               for at in ticks)
        self.assertAlmostEqual(middle - left, right - middle, delta=0.2)


    def test_crossovers_are_said_of_the_option(self):
        seconds = {("atoms", 10): 3e-3, ("steps", 10): 1e-3, ("atoms", 20): 4e-3, ("steps", 20): 9e-3}
        rows = [_row(f"look_and_say/tbb/{variant}/uint8/n:8/steps:{steps}", time, samples=15)
                for (variant, steps), time in seconds.items()]
        self.assertIn("From steps 20 on tbb/atoms is the fastest, before it tbb/steps.",
                      report_page.page([_run(rows)]))


def _scaling(members, backend=None, one="tbb:1", seconds=1e-3, size=64, kind="strong", **more):
    """A row of so many members, on tbb where nothing else is said."""
    if one:
        one_size = size // members if kind == "weak" else size
        more["one_member"] = f"scan/{one}/fast/int32/n:{one_size}/uniform/kernel/hot"
    else:
        more |= {"one_member": "", "efficiency_refused": "no row of one member"}
    return _row(f"scan/{backend or f'tbb:{members}'}/fast/int32/n:{size}", seconds,
                scaling=kind, members=members, **more)


class CurvesTest(unittest.TestCase):
    def group(self, *runs):
        (group,) = scaling_views.groups(runs)
        return group

    def test_rows_about_scaling_have_figures_of_their_own(self):
        run = _run([_scaling(1), _scaling(2)])
        self.assertEqual(families.families([run]), [])
        self.assertEqual(self.group(run).members(), [1, 2])

    def test_points_are_speed_up_and_efficiency(self):
        group = self.group(_run([_scaling(1), _scaling(4, seconds=0.5e-3)]))
        plots = scaling_views.plots(group)
        for view, value in (("speed_up", 2), ("efficiency", 0.5)):
            measured, bound = plots[view].series
            self.assertAlmostEqual(measured.points[1].value, value)
            self.assertTrue(bound.bound)
        self.assertEqual(plots["speed_up"].ideal(4), 4)
        self.assertIn('class="ideal"', chart.draw(plots["speed_up"]))

    def test_bound_is_what_the_ceiling_allows(self):
        one, two = _scaling(1), _scaling(2, ceiling_share=0.2)
        points = scaling_views.plots(self.group(_run([one, two])))["speed_up"].series[1].points
        self.assertAlmostEqual(points[1].value, 2.5)

    def test_weak_rows_of_one_size_each_stand_together(self):
        run = _run([_scaling(members, size=10 * members, kind="weak") for members in (1, 2, 3)])
        group = self.group(run)
        self.assertIn("weak scaling: int32, n:10 each", group.title)
        self.assertEqual(group.members(), [1, 2, 3])

    def test_weak_rows_do_as_many_times_the_work_in_the_same_time(self):
        rows = [_scaling(members, size=10 * members, kind="weak") for members in (1, 4)]
        plots = scaling_views.plots(self.group(_run(rows)))
        for view, value in (("speed_up", 4), ("efficiency", 1)):
            self.assertAlmostEqual(plots[view].series[0].points[1].value, value)

    def test_layouts_are_curves_that_begin_with_the_same_row(self):
        rows = [_scaling(1, "gpus:0", "gpus:0"), _scaling(2, "gpus:0+1", "gpus:0"),
                _scaling(2, "gpus:0+1@striped", "gpus:0")]
        group = self.group(_run(rows))
        self.assertEqual([(curve.name, sorted(curve.rows)) for curve in group.curves],
                         [("gpus/fast", [1, 2]), ("gpus@striped/fast", [1, 2])])

    @staticmethod
    def ranks(label, members, **context):
        one = "mpi:tbb:1" if members == 1 else ""
        return _run([_scaling(members, "mpi:tbb:1", one)], label, commit="abc", **context)

    def test_runs_with_one_number_of_ranks_make_a_curve(self):
        group = self.group(self.ranks("one", 1), self.ranks("two", 2), self.ranks("four", 4))
        (curve,) = group.curves
        self.assertEqual(sorted(curve.rows), [1, 2, 4])
        self.assertEqual(curve.label, "mpi:tbb:1/fast (one, two, four)")

    def test_labels_tell_which_runs_belong_together(self):
        runs = [self.ranks(label, members) for label in ("old", "new") for members in (1, 2)]
        group = self.group(*runs)
        self.assertEqual([curve.label for curve in group.curves],
                         ["mpi:tbb:1/fast (old)", "mpi:tbb:1/fast (new)"])
        group = self.group(self.ranks("a", 1), self.ranks("b", 1), self.ranks("c", 2))
        self.assertIn("the same label says which", group.refusals()[0])

    def test_other_machines_and_commits_are_not_held_against(self):
        for fact in ({"mpi:tbb:1.cpu": "other"}, {"dirty": "yes"}):
            group = self.group(self.ranks("one", 1), self.ranks("two", 2, **fact))
            self.assertEqual(len(group.curves), 2)
            self.assertEqual(group.refusals(), [
                "mpi:tbb:1/fast (two): no efficiency, no row of one member."])

    def test_page_has_curves_and_the_table_behind_them(self):
        text = report_page.page([_run([_scaling(1), _scaling(2, seconds=0.8e-3)])])
        self.assertIn(">strong scaling: int32, n:64, uniform, kernel, hot</h3>", text)
        self.assertIn('<th scope="col">members</th><th scope="col">tbb/fast</th>', text)
        self.assertIn("<br>1.25 times, 62 %</td>", text)
        self.assertIn(">memory allows tbb/fast</button>", text)

    def test_page_says_why_there_is_no_efficiency(self):
        text = report_page.page([_run([_scaling(2, one="")])])
        self.assertIn("tbb/fast: no efficiency, no row of one member.", text)
        self.assertNotIn(">speed-up over one member</text>", text)

    def test_tables_have_the_counters(self):
        rows = [_scaling(2, speed_up=1.5, efficiency=0.75), _scaling(3, one="")]
        lines = report_tables.tables(rows, "")
        self.assertTrue(lines[3].endswith("| members | speed-up | efficiency |"), lines[3])
        self.assertTrue(lines[5].endswith("| 2, strong | 1.50 | 0.75 |"), lines[5])
        self.assertTrue(lines[6].endswith("| 3, strong | no row of one member |  |"), lines[6])

    def test_tables_hold_runs_of_other_ranks_against_that_of_one(self):
        def last_cells(*runs):
            curves = self.group(*runs).curves
            lines = report_tables.tables(runs[-1].rows, "", curves)
            return lines[5].split("|")[-4:-1]
        one, two, more = self.ranks("one", 1), self.ranks("two", 2), self.ranks("more", 1)
        self.assertEqual(last_cells(one, two), [" 2, strong ", " 1.00 ", " 0.50 "])
        self.assertEqual(last_cells(two), [" 2, strong ", " no row of one member ", "  "])
        self.assertIn("the same label says which", last_cells(one, more, two)[1])

    def test_rows_of_other_members_are_not_judged(self):
        verdict = verdicts.unjudged(_scaling(2), _scaling(4))
        self.assertEqual((verdict.kind, verdict.note), ("missing", "of 2 members; there are 4"))
        self.assertIsNone(verdicts.unjudged(_scaling(2), _scaling(2)))


if __name__ == "__main__":
    unittest.main()
