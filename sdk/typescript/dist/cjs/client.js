"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Malote = void 0;
const deliveries_js_1 = require("./deliveries.js");
const endpoints_js_1 = require("./endpoints.js");
const events_js_1 = require("./events.js");
const list_js_1 = require("./list.js");
const publish_js_1 = require("./publish.js");
const settings_js_1 = require("./settings.js");
const sources_js_1 = require("./sources.js");
const transport_js_1 = require("./transport.js");
/**
 * Talks to one Malote with one API key. It is made once and shared.
 *
 * A request that does no harm when it arrives twice is sent again, up to five
 * times within seconds, when no answer came or it was 429, 502, 503 or 504:
 * whatever only reads; publishing and whatever creates, with an idempotency key
 * of yours or of its own; pausing, resuming, disabling and cancelling. Retry-After
 * is honoured. Changes, deletions, replays and the like are sent once.
 */
class Malote {
    endpoints;
    deliveries;
    events;
    sources;
    tenants;
    policies;
    keys;
    recoveries;
    #transport;
    constructor(options) {
        const transport = new transport_js_1.Transport(options);
        this.#transport = transport;
        this.endpoints = new endpoints_js_1.Endpoints(transport);
        this.deliveries = new deliveries_js_1.Deliveries(transport);
        this.events = new events_js_1.Events(transport);
        this.sources = new sources_js_1.Sources(transport);
        this.tenants = new settings_js_1.Tenants(transport);
        this.policies = new settings_js_1.Policies(transport);
        this.keys = new settings_js_1.ApiKeys(transport);
        this.recoveries = new settings_js_1.Recoveries(transport);
    }
    /**
     * Publishes one event. Once it resolves, the event and its deliveries are
     * committed. After a ConnectionError or a status of 500 and more, whether it is
     * in is not known: publish it again with the same `idempotency_key`.
     */
    async publish(event, options = {}) {
        const text = await (0, publish_js_1.encodeEvent)(event);
        return this.#transport.json("post", "/v1/events", { ...options, text, repeatable: true });
    }
    /** Publishes 1 to 1,000 events in one transaction: all, or if one is refused, none; MaloteError's `index` says which. */
    async publishBatch(events, options = {}) {
        const text = `{"events":[${(await Promise.all(events.map(publish_js_1.encodeEvent))).join(",")}]}`;
        const { data } = await this.#transport.json("post", "/v1/events/batch", { ...options, text, repeatable: true });
        return data;
    }
    /**
     * A link that opens a tenant's own pages in the dashboard to whoever has it, for
     * a short time. It is not kept: a repeat makes another.
     */
    portalLink(link, options = {}) {
        return this.#transport.json("post", "/v1/portal_links", { ...options, body: link, repeatable: true });
    }
    /** The most delayed endpoints, and how long the oldest delivery waits. */
    lag(options = {}) {
        return this.#transport.json("get", "/v1/stats/lag", options);
    }
    /** What operators should know of: endpoints that fail, deliveries that died. */
    signals(filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, "/v1/signals", filter, options);
    }
    /** Webhooks that sources refused. */
    rejections(filter = {}, options = {}) {
        return (0, list_js_1.listAt)(this.#transport, "/v1/rejections", filter, options);
    }
    /** Rejects with `unavailable` while Malote does not reach its database. It does not say whether the key works. */
    async ready(options = {}) {
        await this.#transport.json("get", "/readyz", options);
    }
}
exports.Malote = Malote;
