"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Endpoints = void 0;
const list_js_1 = require("./list.js");
const transport_js_1 = require("./transport.js");
const one = "/v1/webhook_endpoints/{id}";
/** Where events are delivered to, and the secrets that sign them. */
class Endpoints {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    /** The answer's `secret` is shown this once; the answer to a repeat with the same key has none. */
    create(endpoint, options = {}) {
        return this.#transport.json("post", "/v1/webhook_endpoints", { ...options, body: endpoint, creates: true });
    }
    get(id, options = {}) {
        return this.#transport.json("get", one, { ...options, params: { id } });
    }
    list(filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, "/v1/webhook_endpoints", filter, options);
    }
    update(id, patch, options = {}) {
        return this.#transport.json("patch", one, { ...options, params: { id }, body: patch });
    }
    delete(id, options = {}) {
        return this.#transport.json("delete", one, { ...options, params: { id } });
    }
    /** Enables it again; `replayed_count` says how many dead deliveries went back into the queue. */
    enable(id, options = {}) {
        return this.#transport.json("post", `${one}/enable`, { ...options, params: { id } });
    }
    disable(id, options = {}) {
        return this.#transport.json("post", `${one}/disable`, { ...options, params: { id }, repeatable: true });
    }
    pause(id, options = {}) {
        return this.#transport.json("post", `${one}/pause`, { ...options, params: { id }, repeatable: true });
    }
    resume(id, options = {}) {
        return this.#transport.json("post", `${one}/resume`, { ...options, params: { id }, repeatable: true });
    }
    /** Sends a test event now and answers with its attempt, which lasts as long as the receiver makes it. */
    test(id, options = {}) {
        return this.#transport.json("post", `${one}/test`, { timeout: transport_js_1.longTimeout, ...options, params: { id } });
    }
    /** Discards what is pending. */
    discard(id, options = {}) {
        return this.#transport.json("post", `${one}/discard`, { timeout: transport_js_1.longTimeout, ...options, params: { id } });
    }
    /** Delivers what was skipped or died in a window, as a job that the answer names. */
    recover(id, window, options = {}) {
        const request = { timeout: transport_js_1.longTimeout, ...options, params: { id }, body: window, creates: true };
        return this.#transport.json("post", `${one}/recover`, request);
    }
    recoveries(id, filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, `${one}/recoveries`, filter, { ...options, params: { id } });
    }
    deliveries(id, filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, `${one}/deliveries`, filter, { ...options, params: { id } });
    }
    /** The live secrets, without their values. */
    async secrets(id, options = {}) {
        return (await this.#transport.json("get", `${one}/secrets`, { ...options, params: { id } })).data;
    }
    /** Adds a secret that signs beside the others. Its `value` is shown this once. */
    addSecret(id, secret = {}, options = {}) {
        return this.#transport.json("post", `${one}/secrets`, { ...options, params: { id }, body: secret, creates: true });
    }
    /** Adds a secret and lets all older ones expire after `overlap`, 24h when left out. Its `value` is shown this once. */
    rotateSecret(id, rotation = {}, options = {}) {
        const request = { ...options, params: { id }, body: rotation, creates: true };
        return this.#transport.json("post", `${one}/secrets/rotate`, request);
    }
    revokeSecret(id, secret, options = {}) {
        return this.#transport.json("delete", `${one}/secrets/{secret}`, { ...options, params: { id, secret } });
    }
}
exports.Endpoints = Endpoints;
