/**
 * Remembers which webhook-ids were handled. Of any number of callers that claim
 * an id at once, over all processes that share the store, exactly one gets a
 * Claim; the others hear that it was handled before, or is being handled.
 *
 * A store keeps ids for 7 days, so that a late retry or a resend is still
 * recognised. A store that outlives the process must let go of a claim that
 * nobody settled for some minutes, or a crash would lock its id for ever. Ids are
 * unique within one sender only: give every sender a store, or a key space, of
 * its own.
 */
export interface Seen<C extends Claim = Claim> {
  /** Asks to be the one who handles `id`, without waiting for others; rejects when it cannot tell. */
  claim(id: string): Promise<C | "handled" | "being_handled">;
}

/**
 * The right to handle one id, settled once by either method; settling it again,
 * or after it was let go of, changes nothing.
 */
export interface Claim {
  /** Records that the id was handled. */
  keep(): Promise<void>;
  /** Gives the id back as if it had never been seen. */
  release(): Promise<void>;
}

/**
 * What a claim's keep rejects with when the id was to be kept by a transaction of
 * the receiver's own and that has not committed: the work is known not to be
 * done, and the sender is asked to come again.
 */
export class NotCommittedError extends Error {
  override readonly name = "NotCommittedError";

  constructor() {
    super("the transaction that keeps the webhook-id was not committed: commit it before the handler returns");
  }
}

const defaultLimit = 100_000;
const defaultAge = 7 * 24 * 60 * 60;

/**
 * A store within one process: a restart forgets it, and so does another instance.
 * Ids that are claimed now are never dropped; handled ones are when they reach
 * `age` seconds (7 days) or, the oldest first, beyond `limit` (100,000).
 */
export class MemorySeen implements Seen {
  readonly #limit: number;
  readonly #age: number;
  readonly #now: () => Date;
  readonly #claimed = new Set<string>();
  /** When each id was handled; a Map keeps the order of insertion, oldest first. */
  readonly #handled = new Map<string, number>();

  constructor({ limit = defaultLimit, age = defaultAge, now = () => new Date() } = {}) {
    this.#limit = limit;
    this.#age = age * 1000;
    this.#now = now;
  }

  async claim(id: string): Promise<Claim | "handled" | "being_handled"> {
    this.#drop();
    if (this.#handled.has(id)) {
      return "handled";
    }
    if (this.#claimed.has(id)) {
      return "being_handled";
    }
    this.#claimed.add(id);
    let settled = false;
    const settle = async (keep: boolean) => {
      if (settled) {
        return;
      }
      settled = true;
      this.#claimed.delete(id);
      if (keep) {
        this.#handled.set(id, this.#now().getTime());
        this.#drop();
      }
    };
    return { keep: () => settle(true), release: () => settle(false) };
  }

  #drop(): void {
    const now = this.#now().getTime();
    for (const [id, at] of this.#handled) {
      if (this.#handled.size <= this.#limit && now - at < this.#age) {
        return;
      }
      this.#handled.delete(id);
    }
  }
}
