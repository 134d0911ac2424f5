/**
 * What a claim's keep rejects with when the id was to be kept by a transaction of
 * the receiver's own and that has not committed: the work is known not to be
 * done, and the sender is asked to come again.
 */
export class NotCommittedError extends Error {
    name = "NotCommittedError";
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
export class MemorySeen {
    #limit;
    #age;
    #now;
    #claimed = new Set();
    /** When each id was handled; a Map keeps the order of insertion, oldest first. */
    #handled = new Map();
    constructor({ limit = defaultLimit, age = defaultAge, now = () => new Date() } = {}) {
        this.#limit = limit;
        this.#age = age * 1000;
        this.#now = now;
    }
    async claim(id) {
        this.#drop();
        if (this.#handled.has(id)) {
            return "handled";
        }
        if (this.#claimed.has(id)) {
            return "being_handled";
        }
        this.#claimed.add(id);
        let settled = false;
        const settle = async (keep) => {
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
    #drop() {
        const now = this.#now().getTime();
        for (const [id, at] of this.#handled) {
            if (this.#handled.size <= this.#limit && now - at < this.#age) {
                return;
            }
            this.#handled.delete(id);
        }
    }
}
