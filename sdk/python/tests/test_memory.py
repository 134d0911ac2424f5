"""The store in memory: one claim for each id, within bounds."""

import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from malote.webhook import AlreadyHandled, BeingHandled, Memory


class MemoryTest(unittest.TestCase):
    def test_the_life_of_an_id(self):
        memory = Memory()
        claim = memory.claim("a")
        with self.assertRaises(BeingHandled):
            memory.claim("a")
        claim.release()
        second = memory.claim("a")
        claim.keep()  # settled already: another's claim is not touched
        claim.release()
        with self.assertRaises(BeingHandled):
            memory.claim("a")
        second.keep()
        second.release()
        with self.assertRaises(AlreadyHandled):
            memory.claim("a")

    def test_handled_ids_are_dropped_when_too_many_and_claimed_ones_are_not(self):
        memory = Memory(limit=2)
        held = memory.claim("held")
        for message_id in "abc":
            memory.claim(message_id).keep()
        memory.claim("a").release()
        for message_id, error in (("b", AlreadyHandled), ("c", AlreadyHandled), ("held", BeingHandled)):
            with self.assertRaises(error):
                memory.claim(message_id)
        held.keep()

    def test_handled_ids_are_dropped_when_too_old(self):
        now = 0.0
        memory = Memory(age=10, clock=lambda: now)
        memory.claim("a").keep()
        now = 9.9
        with self.assertRaises(AlreadyHandled):
            memory.claim("a")
        now = 10.0
        memory.claim("a")

    def test_one_of_many_gets_it(self):
        memory = Memory()
        together = threading.Barrier(8)

        def claim(_):
            together.wait(30)
            won = 0
            for message_id in range(200):
                try:
                    memory.claim(str(message_id)).keep()
                    won += 1
                except (AlreadyHandled, BeingHandled):
                    pass
            return won

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(sum(pool.map(claim, range(8))), 200)

    def test_bounds_make_sense(self):
        for options in ({"limit": 0}, {"age": 0}):
            with self.assertRaises(ValueError):
                Memory(**options)
