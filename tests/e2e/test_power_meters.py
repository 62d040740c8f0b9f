"""Power in whole runs, of plugs and USB meters: some have faults."""
import unittest

from meter import FNIRSI, UM25C
from plug import Plug
from programs import PLUGS, SERVERS
from test_power import BOARDS, PowerCase


@unittest.skipIf(PLUGS, "bench-edge was built with libcurl")
class NoPlugs(PowerCase):
    def test_it_says_that_it_cannot_ask_plugs(self):
        for dialect in ("tasmota", "shelly1", "shelly2"):
            with self.subTest(dialect):
                run = self.measure("--power", f"{dialect}:127.0.0.1:1")
                self.assertEqual(run.code, 1)
                self.assertIn("built without libcurl", run.err)
                self.assertEqual(run.out, "")


@unittest.skipUnless(PLUGS, "bench-edge was built without libcurl: it cannot ask plugs")
class Plugs(PowerCase):
    def plug(self, *arguments, **more):
        plug = Plug(*arguments, **more)
        self.addCleanup(plug.close)
        return plug

    def test_same_watts_in_same_watts_out(self):
        for dialect in ("tasmota", "shelly1", "shelly2"):
            with self.subTest(dialect):
                plug = self.plug(7.25)
                run = self.measure("--power", f"{dialect}:{plug.address}")
                self.assertAlmostEqual(self.window(run)["energy_uj"] / 1e6, 14.5, delta=1e-3)
                self.assertEqual(self.window(run)["power_scope"], "wall")
                self.assertIn("7.25 W wall", self.cells(run)["power"])
                self.assertGreater(plug.answers, 2)

    def test_a_plug_that_does_not_work_ends_the_run_before_it_begins(self):
        for fault, words in (("500", "HTTP status 500"), ("missing", "expected the number"),
                             ("html", "expected JSON"), ("slow", "no answer within 3 s")):
            with self.subTest(fault):
                plug = self.plug(7, fault)
                run = self.measure("--power", f"tasmota:{plug.address}")
                self.assertEqual(run.code, 1)
                self.assertIn(words, run.err)
                self.assertEqual(run.out, "")
        run = self.measure("--power", "shelly1:127.0.0.1:1")
        self.assertEqual(run.code, 1)
        self.assertIn("127.0.0.1:1", run.err)

    def test_readings_that_cannot_be_believed_are_refused_with_the_reason(self):
        for watts, words in ((3.2, "below 5 W"), (-7, "positive"), (10800, "10800 W")):
            with self.subTest(watts):
                plug = self.plug(watts)
                run = self.measure("--power", f"shelly2:{plug.address}")
                self.assertEqual(run.code, 3, run.err)
                self.assertIsNone(self.window(run)["energy_uj"])
                self.assertEqual(self.cells(run)["power"], "-")
                rule = self.rules(run)["power"]
                self.assertEqual(rule["verdict"], "fail")
                self.assertIn(words, rule["words"])

    def test_a_plug_that_fails_in_the_middle(self):
        plug = self.plug(7, lambda answers: "500" if answers > 3 else None)
        run = self.measure("--power", f"tasmota:{plug.address}", "--duration", "4s")
        self.assertIsNone(self.window(run)["energy_uj"])
        self.assertIn("HTTP status 500", self.rules(run)["power"]["words"])
        self.assertGreaterEqual(len(run.records(SERVERS[0], "power")), 1)  # what there was is kept

    def test_two_sources_are_kept_apart(self):
        plug = self.plug(9)
        run = self.measure("--root", f"{BOARDS}/pi-5", "--power", f"pmic,tasmota:{plug.address}")
        energies = run.records(SERVERS[0], "energy")
        self.assertEqual([e["source"] for e in energies], [1, 2])
        self.assertAlmostEqual(energies[0]["energy_uj"] / 1e6, 6.020738, delta=1e-4)
        self.assertAlmostEqual(energies[1]["energy_uj"] / 1e6, 18, delta=1e-3)
        self.assertEqual(self.window(run)["energy_uj"], energies[0]["energy_uj"])
        self.assertIn("cannot be compared", run.out)


class Meters(PowerCase):
    def meter(self, kind, *arguments, **more):
        meter = kind(*arguments, **more)
        self.addCleanup(meter.close)
        return meter

    def test_um25c(self):
        meter = self.meter(UM25C, 3.5)
        run = self.measure("--power", f"um25c:{meter.path}")
        self.assertAlmostEqual(self.window(run)["energy_uj"] / 1e6, 7.0, delta=1e-3)
        self.assertEqual(self.window(run)["power_scope"], "dc_input")

    def test_um25c_with_frames_that_are_broken_and_cut(self):
        meter = self.meter(UM25C, 3.5, broken=3)
        run = self.measure("--power", f"um25c:{meter.path}", "--duration", "5s")
        self.assertAlmostEqual(self.window(run)["energy_uj"] / 1e6, 17.5, delta=1e-3)
        values = {r["power_uw"] for r in run.records(SERVERS[0], "power")}
        self.assertEqual(values, {3500000})  # nothing of a broken frame

    def test_fnirsi(self):
        meter = self.meter(FNIRSI, 6.25)
        run = self.measure("--power", f"fnirsi:{meter.path}")
        self.assertAlmostEqual(self.window(run)["energy_uj"] / 1e6, 12.5, delta=1e-3)
        self.assertEqual(meter.commands[:3], [0x81, 0x82, 0x82])
        self.assertIn(0x83, meter.commands)  # it was asked to go on

    def test_fnirsi_with_a_bad_crc(self):
        meter = self.meter(FNIRSI, 6.25, broken=10)
        run = self.measure("--power", f"fnirsi:{meter.path}")
        values = {r["power_uw"] for r in run.records(SERVERS[0], "power")}
        self.assertEqual(values, {6250000})
        self.assertIsNotNone(self.window(run)["energy_uj"])

    def test_a_meter_that_is_not_there(self):
        run = self.measure("--power", "um25c:/dev/none")
        self.assertEqual(run.code, 1)
        self.assertIn("rfcomm", run.err)


if __name__ == "__main__":
    unittest.main()
