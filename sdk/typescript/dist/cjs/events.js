"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Events = void 0;
const list_js_1 = require("./list.js");
/** The log of what was published. */
class Events {
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
        return (0, list_js_1.listAt)(this.#transport, "/v1/events", filter, options);
    }
}
exports.Events = Events;
