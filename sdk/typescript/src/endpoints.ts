import type { Body, Filter, Operation } from "./http-types.js";
import { type List, listAt } from "./list.js";
import type {
  Delivery,
  Discarded,
  Endpoint,
  EndpointPatch,
  EndpointSecret,
  NewEndpoint,
  Recovery,
  TestResult,
} from "./schemas.js";
import { type CallOptions, type CreateOptions, type Transport, longTimeout } from "./transport.js";

const one = "/v1/webhook_endpoints/{id}";

/** Where events are delivered to, and the secrets that sign them. */
export class Endpoints {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer's `secret` is shown this once; the answer to a repeat with the same key has none. */
  create(endpoint: NewEndpoint, options: CreateOptions = {}): Promise<Endpoint> {
    return this.#transport.json("post", "/v1/webhook_endpoints", { ...options, body: endpoint, creates: true });
  }

  get(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("get", one, { ...options, params: { id } });
  }

  list(filter: Filter<"/v1/webhook_endpoints"> = {}, options: CallOptions = {}): List<Endpoint> {
    return listAt(this.#transport, "/v1/webhook_endpoints", filter, options);
  }

  update(id: string, patch: EndpointPatch, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("patch", one, { ...options, params: { id }, body: patch });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", one, { ...options, params: { id } });
  }

  /** Enables it again; `replayed_count` says how many dead deliveries went back into the queue. */
  enable(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("post", `${one}/enable`, { ...options, params: { id } });
  }

  disable(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("post", `${one}/disable`, { ...options, params: { id }, repeatable: true });
  }

  pause(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("post", `${one}/pause`, { ...options, params: { id }, repeatable: true });
  }

  resume(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json("post", `${one}/resume`, { ...options, params: { id }, repeatable: true });
  }

  /** Sends a test event now and answers with its attempt, which lasts as long as the receiver makes it. */
  test(id: string, options: CallOptions = {}): Promise<TestResult> {
    return this.#transport.json("post", `${one}/test`, { timeout: longTimeout, ...options, params: { id } });
  }

  /** Discards what is pending. */
  discard(id: string, options: CallOptions = {}): Promise<Discarded> {
    return this.#transport.json("post", `${one}/discard`, { timeout: longTimeout, ...options, params: { id } });
  }

  /** Delivers what was skipped or died in a window, as a job that the answer names. */
  recover(id: string, window: Body<Operation<`${typeof one}/recover`, "post">>, options: CreateOptions = {}): Promise<Recovery> {
    const request = { timeout: longTimeout, ...options, params: { id }, body: window, creates: true };
    return this.#transport.json("post", `${one}/recover`, request);
  }

  recoveries(id: string, filter: Filter<`${typeof one}/recoveries`> = {}, options: CallOptions = {}): List<Recovery> {
    return listAt(this.#transport, `${one}/recoveries`, filter, { ...options, params: { id } });
  }

  deliveries(id: string, filter: Filter<`${typeof one}/deliveries`> = {}, options: CallOptions = {}): List<Delivery> {
    return listAt(this.#transport, `${one}/deliveries`, filter, { ...options, params: { id } });
  }

  /** The live secrets, without their values. */
  async secrets(id: string, options: CallOptions = {}): Promise<EndpointSecret[]> {
    return (await this.#transport.json("get", `${one}/secrets`, { ...options, params: { id } })).data;
  }

  /** Adds a secret that signs beside the others. Its `value` is shown this once. */
  addSecret(id: string, secret: { value?: string } = {}, options: CreateOptions = {}): Promise<EndpointSecret> {
    return this.#transport.json("post", `${one}/secrets`, { ...options, params: { id }, body: secret, creates: true });
  }

  /** Adds a secret and lets all older ones expire after `overlap`, 24h when left out. Its `value` is shown this once. */
  rotateSecret(id: string, rotation: { overlap?: string; value?: string } = {}, options: CreateOptions = {}): Promise<EndpointSecret> {
    const request = { ...options, params: { id }, body: rotation, creates: true };
    return this.#transport.json("post", `${one}/secrets/rotate`, request);
  }

  revokeSecret(id: string, secret: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", `${one}/secrets/{secret}`, { ...options, params: { id, secret } });
  }
}
