import type { Body, Filter, Operation, Query } from "./http-types.js";
import { type List, listAt } from "./list.js";
import type { ApiKey, NewPolicy, NewTenant, Policy, Recovery, Schedule, Tenant, TenantPatch } from "./schemas.js";
import type { CallOptions, CreateOptions, Transport } from "./transport.js";

/** Whose events and endpoints they are. */
export class Tenants {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(tenant: NewTenant, options: CreateOptions = {}): Promise<Tenant> {
    return this.#transport.json("post", "/v1/tenants", { ...options, body: tenant, creates: true });
  }

  get(tenant: string, options: CallOptions = {}): Promise<Tenant> {
    return this.#transport.json("get", "/v1/tenants/{tenant}", { ...options, params: { tenant } });
  }

  list(filter: Filter<"/v1/tenants"> = {}, options: CallOptions = {}): List<Tenant> {
    return listAt(this.#transport, "/v1/tenants", filter, options);
  }

  update(tenant: string, patch: TenantPatch, options: CallOptions = {}): Promise<Tenant> {
    return this.#transport.json("patch", "/v1/tenants/{tenant}", { ...options, params: { tenant }, body: patch });
  }

  delete(tenant: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", "/v1/tenants/{tenant}", { ...options, params: { tenant } });
  }
}

/** The delivery contracts that endpoints choose from. */
export class Policies {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(policy: NewPolicy, options: CreateOptions = {}): Promise<Policy> {
    return this.#transport.json("post", "/v1/policies", { ...options, body: policy, creates: true });
  }

  get(name: string, options: CallOptions = {}): Promise<Policy> {
    return this.#transport.json("get", "/v1/policies/{name}", { ...options, params: { name } });
  }

  async list(options: CallOptions = {}): Promise<Policy[]> {
    return (await this.#transport.json("get", "/v1/policies", options)).data;
  }

  /** When every attempt is made, without and with most jitter. */
  schedule(name: string, options: CallOptions = {}): Promise<Schedule> {
    return this.#transport.json("get", "/v1/policies/{name}/schedule", { ...options, params: { name } });
  }

  /** The page for receivers, as Markdown or HTML. */
  async contract(
    name: string,
    query: Query<Operation<"/v1/policies/{name}/contract", "get">> = {},
    options: CallOptions = {},
  ): Promise<string> {
    const request = { ...options, params: { name }, query, accept: "*/*" };
    return new TextDecoder().decode(await this.#transport.bytes("get", "/v1/policies/{name}/contract", request));
  }
}

/** What opens the API, and for what. */
export class ApiKeys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer has the key itself, this once. */
  create(key: Body<Operation<"/v1/keys", "post">>, options: CreateOptions = {}): Promise<ApiKey> {
    return this.#transport.json("post", "/v1/keys", { ...options, body: key, creates: true });
  }

  list(filter: Filter<"/v1/keys"> = {}, options: CallOptions = {}): List<ApiKey> {
    return listAt(this.#transport, "/v1/keys", filter, options);
  }

  revoke(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json("delete", "/v1/keys/{id}", { ...options, params: { id } });
  }
}

/** Jobs that deliver what was skipped or died. */
export class Recoveries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: string, options: CallOptions = {}): Promise<Recovery> {
    return this.#transport.json("get", "/v1/recoveries/{id}", { ...options, params: { id } });
  }

  cancel(id: string, options: CallOptions = {}): Promise<Recovery> {
    return this.#transport.json("post", "/v1/recoveries/{id}/cancel", { ...options, params: { id }, repeatable: true });
  }
}
