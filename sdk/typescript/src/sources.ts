import type { Body, Filter, Operation } from "./http-types.js";
import { type List, listAt } from "./list.js";
import type { GapReport, NewSource, Rejection, Source, SourceProvider, SourceSecret } from "./schemas.js";
import { type CallOptions, type CreateOptions, type Transport, longTimeout } from "./transport.js";

const one = "/v1/sources/{id}";

/** Where other people's webhooks come in. */
export class Sources {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What a source may be of, with the settings that each takes. */
  async providers(options: CallOptions = {}): Promise<SourceProvider[]> {
    return (await this.#transport.json("get", "/v1/source_providers", options)).data;
  }

  create(source: NewSource, options: CreateOptions = {}): Promise<Source> {
    return this.#transport.json("post", "/v1/sources", { ...options, body: source, creates: true });
  }

  get(id: string, options: CallOptions = {}): Promise<Source> {
    return this.#transport.json("get", one, { ...options, params: { id } });
  }

  list(filter: Filter<"/v1/sources"> = {}, options: CallOptions = {}): List<Source> {
    return listAt(this.#transport, "/v1/sources", filter, options);
  }

  update(id: string, patch: Body<Operation<typeof one, "patch">>, options: CallOptions = {}): Promise<Source> {
    return this.#transport.json("patch", one, { ...options, params: { id }, body: patch });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", one, { ...options, params: { id } });
  }

  pause(id: string, options: CallOptions = {}): Promise<Source> {
    return this.#transport.json("post", `${one}/pause`, { ...options, params: { id }, repeatable: true });
  }

  resume(id: string, options: CallOptions = {}): Promise<Source> {
    return this.#transport.json("post", `${one}/resume`, { ...options, params: { id }, repeatable: true });
  }

  /** Asks the provider for what never came. */
  repair(id: string, request: Body<Operation<`${typeof one}/repair`, "post">>, options: CallOptions = {}): Promise<GapReport> {
    return this.#transport.json("post", `${one}/repair`, { timeout: longTimeout, ...options, params: { id }, body: request });
  }

  rejections(id: string, filter: Filter<`${typeof one}/rejections`> = {}, options: CallOptions = {}): List<Rejection> {
    return listAt(this.#transport, `${one}/rejections`, filter, { ...options, params: { id } });
  }

  async secrets(id: string, options: CallOptions = {}): Promise<SourceSecret[]> {
    return (await this.#transport.json("get", `${one}/secrets`, { ...options, params: { id } })).data;
  }

  addSecret(id: string, secret: Body<Operation<`${typeof one}/secrets`, "post">>, options: CreateOptions = {}): Promise<SourceSecret> {
    return this.#transport.json("post", `${one}/secrets`, { ...options, params: { id }, body: secret, creates: true });
  }

  rotateSecret(id: string, rotation: Body<Operation<`${typeof one}/secrets/rotate`, "post">>, options: CreateOptions = {}): Promise<SourceSecret> {
    const request = { ...options, params: { id }, body: rotation, creates: true };
    return this.#transport.json("post", `${one}/secrets/rotate`, request);
  }

  revokeSecret(id: string, secret: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", `${one}/secrets/{secret}`, { ...options, params: { id, secret } });
  }
}
