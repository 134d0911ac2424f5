import type { Filter } from "./http-types.js";
import { type List, listAt } from "./list.js";
import type { Delivery, Replayed, ReplayResult } from "./schemas.js";
import type { CallOptions, Transport } from "./transport.js";

const one = "/v1/webhook_deliveries/{id}";

/** What became of each event at each endpoint. */
export class Deliveries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A delivery with its attempts. */
  get(id: string, options: CallOptions = {}): Promise<Delivery> {
    return this.#transport.json("get", one, { ...options, params: { id } });
  }

  list(filter: Filter<"/v1/webhook_deliveries"> = {}, options: CallOptions = {}): List<Delivery> {
    return listAt(this.#transport, "/v1/webhook_deliveries", filter, options);
  }

  /** Sends it again, with the same webhook-id. It is not repeated by itself when no answer comes. */
  replay(id: string, options: CallOptions = {}): Promise<Replayed> {
    return this.#transport.json("post", `${one}/replay`, { ...options, params: { id } });
  }

  /** Sends up to 50 again, or with `preview` says what would happen. */
  replayAll(ids: string[], { preview, ...options }: CallOptions & { preview?: boolean } = {}): Promise<ReplayResult> {
    const body = { ids, ...(preview !== undefined && { preview }) };
    return this.#transport.json("post", "/v1/webhook_deliveries/replay", { ...options, body });
  }

  /** Closes a dead delivery that was dealt with otherwise. */
  resolve(id: string, reason: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("post", `${one}/resolve`, { ...options, params: { id }, body: { reason } });
  }
}
