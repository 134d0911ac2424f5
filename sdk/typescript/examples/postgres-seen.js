// @ts-check
// A store of handled webhook-ids in PostgreSQL, shared by all instances of a
// receiver. Copy it: it needs the package pg, which malote itself does not.
//
//     create table webhook_seen (
//       sender     text        not null,
//       id         text        not null,
//       token      uuid        not null,
//       claimed_at timestamptz not null default now(),
//       handled_at timestamptz,
//       primary key (sender, id)
//     );
import { randomUUID } from "node:crypto";

import { NotCommittedError } from "malote";

/** After which a claim that nobody settled, because its process ended, may be taken over. */
const abandoned = "interval '5 minutes'";

/** @typedef {import("malote").Seen<PostgresClaim>} Seen */
/** @typedef {import("malote").Claim} Claim */

/** @implements {Seen} */
export class PostgresSeen {
  #pool;
  #sender;

  /** Ids are unique within one sender only: name each of yours differently. */
  /** @param {import("pg").Pool} pool */
  constructor(pool, sender = "malote") {
    this.#pool = pool;
    this.#sender = sender;
  }

  /** @param {string} id @returns {Promise<PostgresClaim | "handled" | "being_handled">} */
  async claim(id) {
    const token = randomUUID();
    const key = [this.#sender, id];
    const inserted = await this.#pool.query(
      "insert into webhook_seen (sender, id, token) values ($1, $2, $3) on conflict do nothing",
      [...key, token],
    );
    if (inserted.rowCount === 1) {
      return new PostgresClaim(this.#pool, token);
    }
    // Without waiting for the transaction of whoever is handling it.
    const taken = await this.#pool.query(
      `update webhook_seen set token = $3, claimed_at = now() where (sender, id) in (
         select sender, id from webhook_seen
         where sender = $1 and id = $2 and handled_at is null and claimed_at < now() - ${abandoned}
         for update skip locked)`,
      [...key, token],
    );
    if (taken.rowCount === 1) {
      return new PostgresClaim(this.#pool, token);
    }
    const { rows } = await this.#pool.query(
      "select 1 from webhook_seen where sender = $1 and id = $2 and handled_at is not null",
      key,
    );
    return rows.length > 0 ? "handled" : "being_handled";
  }

  /** Forgets what was handled more than 7 days ago: call it now and then. */
  async forget() {
    await this.#pool.query("delete from webhook_seen where handled_at < now() - interval '7 days'");
  }
}

/** @implements {Claim} */
export class PostgresClaim {
  #pool;
  #token;
  #transactional = false;

  /** @param {import("pg").Pool} pool @param {string} token */
  constructor(pool, token) {
    this.#pool = pool;
    this.#token = token;
  }

  /**
   * Records within the receiver's own transaction that the id was handled: what
   * the handler writes and the id are kept together, or neither is. It rejects
   * when another process took the claim over; then roll back.
   * @param {import("pg").ClientBase} client
   */
  async keepIn(client) {
    this.#transactional = true;
    const { rowCount } = await client.query("update webhook_seen set handled_at = now() where token = $1", [this.#token]);
    if (rowCount !== 1) {
      throw new Error("another process handles this webhook by now: roll back");
    }
  }

  async keep() {
    if (!this.#transactional) {
      await this.#pool.query("update webhook_seen set handled_at = now() where token = $1", [this.#token]);
      return;
    }
    const { rows } = await this.#pool.query(
      "select 1 from webhook_seen where token = $1 and handled_at is not null",
      [this.#token],
    );
    if (rows.length === 0) {
      throw new NotCommittedError();
    }
  }

  async release() {
    await this.#pool.query("delete from webhook_seen where token = $1 and handled_at is null", [this.#token]);
  }
}
