import type { Filter } from "./http-types.js";
import { type List, listAt } from "./list.js";
import type { Event, EventPage } from "./schemas.js";
import type { CallOptions, Transport } from "./transport.js";

/** The log of what was published. */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: string, options: CallOptions = {}): Promise<Event> {
    return this.#transport.json("get", "/v1/events/{id}", { ...options, params: { id } });
  }

  /** The exact bytes of its body. */
  body(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#transport.bytes("get", "/v1/events/{id}/body", { ...options, params: { id }, accept: "*/*" });
  }

  /** Every event, oldest first, to reconcile: each page's `complete_until` says from when to begin the next time. */
  list(filter: Filter<"/v1/events"> = {}, options: CallOptions = {}): List<Event, EventPage> {
    return listAt(this.#transport, "/v1/events", filter, options);
  }
}
