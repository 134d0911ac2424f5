"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Deliveries = void 0;
const list_js_1 = require("./list.js");
const one = "/v1/webhook_deliveries/{id}";
/** What became of each event at each endpoint. */
class Deliveries {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    /** A delivery with its attempts. */
    get(id, options = {}) {
        return this.#transport.json("get", one, { ...options, params: { id } });
    }
    list(filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, "/v1/webhook_deliveries", filter, options);
    }
    /** Sends it again, with the same webhook-id. It is not repeated by itself when no answer comes. */
    replay(id, options = {}) {
        return this.#transport.json("post", `${one}/replay`, { ...options, params: { id } });
    }
    /** Sends up to 50 again, or with `preview` says what would happen. */
    replayAll(ids, { preview, ...options } = {}) {
        const body = { ids, ...(preview !== undefined && { preview }) };
        return this.#transport.json("post", "/v1/webhook_deliveries/replay", { ...options, body });
    }
    /** Closes a dead delivery that was dealt with otherwise. */
    resolve(id, reason, options = {}) {
        return this.#transport.json("post", `${one}/resolve`, { ...options, params: { id }, body: { reason } });
    }
}
exports.Deliveries = Deliveries;
