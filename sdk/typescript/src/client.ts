import { Deliveries } from "./deliveries.js";
import { Endpoints } from "./endpoints.js";
import { Events } from "./events.js";
import type { Filter } from "./http-types.js";
import { type List, listAt } from "./list.js";
import { type NewEvent, encodeEvent } from "./publish.js";
import type { Lag, NewPortalLink, PortalLink, Published, Rejection, Signal } from "./schemas.js";
import { ApiKeys, Policies, Recoveries, Tenants } from "./settings.js";
import { Sources } from "./sources.js";
import { type CallOptions, Transport, type TransportOptions } from "./transport.js";

/**
 * Talks to one Malote with one API key. It is made once and shared.
 *
 * A request that does no harm when it arrives twice is sent again, up to five
 * times within seconds, when no answer came or it was 429, 502, 503 or 504:
 * whatever only reads; publishing and whatever creates, with an idempotency key
 * of yours or of its own; pausing, resuming, disabling and cancelling. Retry-After
 * is honoured. Changes, deletions, replays and the like are sent once.
 */
export class Malote {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly sources: Sources;
  readonly tenants: Tenants;
  readonly policies: Policies;
  readonly keys: ApiKeys;
  readonly recoveries: Recoveries;
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.endpoints = new Endpoints(transport);
    this.deliveries = new Deliveries(transport);
    this.events = new Events(transport);
    this.sources = new Sources(transport);
    this.tenants = new Tenants(transport);
    this.policies = new Policies(transport);
    this.keys = new ApiKeys(transport);
    this.recoveries = new Recoveries(transport);
  }

  /**
   * Publishes one event. Once it resolves, the event and its deliveries are
   * committed. After a ConnectionError or a status of 500 and more, whether it is
   * in is not known: publish it again with the same `idempotency_key`.
   */
  async publish(event: NewEvent, options: CallOptions = {}): Promise<Published> {
    const text = await encodeEvent(event);
    return this.#transport.json("post", "/v1/events", { ...options, text, repeatable: true });
  }

  /** Publishes 1 to 1,000 events in one transaction: all, or if one is refused, none; MaloteError's `index` says which. */
  async publishBatch(events: readonly NewEvent[], options: CallOptions = {}): Promise<Published[]> {
    const text = `{"events":[${(await Promise.all(events.map(encodeEvent))).join(",")}]}`;
    const { data } = await this.#transport.json("post", "/v1/events/batch", { ...options, text, repeatable: true });
    return data;
  }

  /**
   * A link that opens a tenant's own pages in the dashboard to whoever has it, for
   * a short time. It is not kept: a repeat makes another.
   */
  portalLink(link: NewPortalLink, options: CallOptions = {}): Promise<PortalLink> {
    return this.#transport.json("post", "/v1/portal_links", { ...options, body: link, repeatable: true });
  }

  /** The most delayed endpoints, and how long the oldest delivery waits. */
  lag(options: CallOptions = {}): Promise<Lag> {
    return this.#transport.json("get", "/v1/stats/lag", options);
  }

  /** What operators should know of: endpoints that fail, deliveries that died. */
  signals(filter: Filter<"/v1/signals"> = {}, options: CallOptions = {}): List<Signal> {
    return listAt(this.#transport, "/v1/signals", filter, options);
  }

  /** Webhooks that sources refused. */
  rejections(filter: Filter<"/v1/rejections"> = {}, options: CallOptions = {}): List<Rejection> {
    return listAt(this.#transport, "/v1/rejections", filter, options);
  }

  /** Rejects with `unavailable` while Malote does not reach its database. It does not say whether the key works. */
  async ready(options: CallOptions = {}): Promise<void> {
    await this.#transport.json("get", "/readyz", options);
  }
}
