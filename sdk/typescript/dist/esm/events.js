import { listAt } from "./list.js";
/** The log of what was published. */
export class Events {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    get(id, options = {}) {
        return this.#transport.json("get", "/v1/events/{id}", { ...options, params: { id } });
    }
    /** The exact bytes of its body. */
    body(id, options = {}) {
        return this.#transport.bytes("get", "/v1/events/{id}/body", { ...options, params: { id }, accept: "*/*" });
    }
    /** Every event, oldest first, to reconcile: each page's `complete_until` says from when to begin the next time. */
    list(filter = {}, options = {}) {
        return listAt(this.#transport, "/v1/events", filter, options);
    }
}
