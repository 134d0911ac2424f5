"""A database of its own for each test case, on the PostgreSQL that
MALOTE_TEST_DATABASE_URL names (bin/withpg starts one)."""

from __future__ import annotations

import os
import unittest
import uuid
from typing import Any
from urllib.parse import urlsplit

from .samples import needs


class DatabaseTestCase(unittest.TestCase):
    dsn: str

    @classmethod
    def setUpClass(cls) -> None:
        needs("psycopg2")
        server = os.environ.get("MALOTE_TEST_DATABASE_URL")
        if not server and os.environ.get("MALOTE_TEST_ALL"):
            raise RuntimeError("MALOTE_TEST_DATABASE_URL is not set: run the tests under bin/withpg")
        if not server:
            raise unittest.SkipTest("no PostgreSQL: run the tests under bin/withpg")
        name = "sdk_" + uuid.uuid4().hex
        cls._administer(server, f"CREATE DATABASE {name}")
        cls.addClassCleanup(cls._administer, server, f"DROP DATABASE {name} WITH (FORCE)")
        cls.dsn = urlsplit(server)._replace(path="/" + name).geturl()

    @staticmethod
    def _administer(server: str, statement: str) -> None:
        import psycopg2

        connection = psycopg2.connect(server)
        try:
            connection.autocommit = True
            connection.cursor().execute(statement)
        finally:
            connection.close()

    @classmethod
    def connect(cls) -> Any:
        import psycopg2

        return psycopg2.connect(cls.dsn)

    def connection(self) -> Any:
        """One that is closed after the test."""
        connection = self.connect()
        self.addCleanup(connection.close)
        return connection

    def query(self, statement: str, *parameters: Any) -> Any:
        """The rows of a statement, in a transaction of its own."""
        connection = self.connect()
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()
