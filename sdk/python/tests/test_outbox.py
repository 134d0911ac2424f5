"""The outbox's statement, for any driver; end to end in test_end_to_end."""

import unittest
from datetime import datetime, timezone

from malote import _sql, outbox

ENDPOINT = "whe_" + "0" * 26


class Cursor:
    """Records what is executed."""

    def __init__(self, row):
        self.row = row

    def execute(self, sql, parameters):
        self.executed = sql, parameters

    def fetchone(self):
        return self.row


class StatementTest(unittest.TestCase):
    def test_the_smallest(self):
        sql, parameters = outbox.statement("acme", "invoice.paid", {"amount": 1.5, "name": "Zoë"})
        self.assertEqual(
            sql, "SELECT malote.publish_json(CAST(%s AS text), CAST(%s AS text), CAST(%s AS text))"
        )
        self.assertEqual(parameters, ["acme", "invoice.paid", '{"amount":1.5,"name":"Zoë"}'])

    def test_every_option(self):
        sql, parameters = outbox.statement(
            "acme",
            "invoice.paid",
            None,
            idempotency_key="i",
            coalesce_key="c",
            entity_version="v",
            external_id="e",
            occurred_at=datetime(2026, 1, 2, tzinfo=timezone.utc),
            endpoint_ids=[ENDPOINT, ENDPOINT],
            aggregate_type="invoice",
            aggregate_id="42",
        )
        self.assertIn("occurred_at => CAST(CAST(%s AS text) AS timestamptz)", sql)
        self.assertIn("endpoint_ids => CAST(CAST(%s AS text) AS text[])", sql)
        self.assertEqual(
            parameters,
            ["acme", "invoice.paid", "null", "i", "c", "v", "e", "2026-01-02T00:00:00+00:00"]
            + [f"{{{ENDPOINT},{ENDPOINT}}}", "invoice", "42"],
        )

    def test_a_body(self):
        sql, parameters = outbox.statement("acme", "a.b", body=b"\x00\xff", content_type="image/png")
        self.assertEqual(
            sql, "SELECT malote.publish(CAST(%s AS text), CAST(%s AS text), CAST(%s AS bytea), CAST(%s AS text))"
        )
        self.assertEqual(parameters, ["acme", "a.b", b"\x00\xff", "image/png"])

    def test_placeholders_of_every_style(self):
        for style, placeholders in (
            ("format", ["%s", "%s", "%s"]),
            ("pyformat", ["%s", "%s", "%s"]),
            ("qmark", ["?", "?", "?"]),
            ("numeric", [":1", ":2", ":3"]),
            ("numeric_dollar", ["$1", "$2", "$3"]),
            ("named", [":p1", ":p2", ":p3"]),
        ):
            sql, parameters = outbox.statement("acme", "a.b", 1, paramstyle=style)
            self.assertEqual(sql, "SELECT malote.publish_json({})".format(
                ", ".join(f"CAST({placeholder} AS text)" for placeholder in placeholders)
            ))
            values = ["acme", "a.b", "1"]
            named = {"p1": "acme", "p2": "a.b", "p3": "1"}
            self.assertEqual(parameters, named if style == "named" else values)
        with self.assertRaisesRegex(ValueError, "paramstyle"):
            outbox.statement("acme", "a.b", 1, paramstyle="other")

    def test_percent_signs_of_a_statement(self):
        for style, text in (("format", "SELECT 5 %% %s"), ("qmark", "SELECT 5 % ?")):
            self.assertEqual(_sql.bind("SELECT 5 % $by", {"by": 3}, style), (text, [3]))

    def test_the_style_of_a_cursor(self):
        import sqlite3

        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        self.assertEqual(_sql.paramstyle_of(connection.cursor()), "qmark")
        self.assertEqual(_sql.paramstyle_of(Cursor(None)), "format")

    def test_any_kind_of_row(self):
        for row in (["id-1"], ("id-1",), {"publish_json": "id-1"}):
            cursor = Cursor(row)
            self.assertEqual(outbox.publish(cursor, "acme", "a.b", {}, idempotency_key="k"), "id-1")
            self.assertEqual(cursor.executed[1], ["acme", "a.b", "{}", "k"])

    def test_what_is_refused(self):
        for arguments, options in (
            (("acme", "a.b"), {}),
            (("acme", "a.b", 1), {"data_json": "1"}),
            (("acme", "a.b", 1), {"content_type": "text/plain"}),
            (("acme", "a.b"), {"data_json": "{"}),
            (("acme", "a.b"), {"data_json": b"\xff"}),
            (("acme", "a.b", float("nan")), {}),
            (("acme", "a.b", "\ud800"), {}),
            (("acme", "a.b", 1), {"endpoint_ids": []}),
            (("acme", "a.b", 1), {"endpoint_ids": ['whe_"},{"']}),
            (("acme", "a.b", 1), {"endpoint_ids": [ENDPOINT + ","]}),
            (("acme", "a.b", 1), {"occurred_at": datetime(2026, 1, 2)}),
        ):
            with self.subTest(arguments=arguments, options=options), self.assertRaises(ValueError):
                outbox.statement(*arguments, **options)
        for options in ({"body": "text"}, {"data_json": {}}, {"data": 1, "endpoint_ids": ENDPOINT}, {"data": object()}):
            with self.subTest(options), self.assertRaises(TypeError):
                outbox.statement("acme", "a.b", **options)
