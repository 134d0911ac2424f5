import { listAt } from "./list.js";
/** Whose events and endpoints they are. */
export class Tenants {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    create(tenant, options = {}) {
        return this.#transport.json("post", "/v1/tenants", { ...options, body: tenant, creates: true });
    }
    get(tenant, options = {}) {
        return this.#transport.json("get", "/v1/tenants/{tenant}", { ...options, params: { tenant } });
    }
    list(filter = {}, options = {}) {
        return listAt(this.#transport, "/v1/tenants", filter, options);
    }
    update(tenant, patch, options = {}) {
        return this.#transport.json("patch", "/v1/tenants/{tenant}", { ...options, params: { tenant }, body: patch });
    }
    delete(tenant, options = {}) {
        return this.#transport.json("delete", "/v1/tenants/{tenant}", { ...options, params: { tenant } });
    }
}
/** The delivery contracts that endpoints choose from. */
export class Policies {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    create(policy, options = {}) {
        return this.#transport.json("post", "/v1/policies", { ...options, body: policy, creates: true });
    }
    get(name, options = {}) {
        return this.#transport.json("get", "/v1/policies/{name}", { ...options, params: { name } });
    }
    async list(options = {}) {
        return (await this.#transport.json("get", "/v1/policies", options)).data;
    }
    /** When every attempt is made, without and with most jitter. */
    schedule(name, options = {}) {
        return this.#transport.json("get", "/v1/policies/{name}/schedule", { ...options, params: { name } });
    }
    /** The page for receivers, as Markdown or HTML. */
    async contract(name, query = {}, options = {}) {
        const request = { ...options, params: { name }, query, accept: "*/*" };
        return new TextDecoder().decode(await this.#transport.bytes("get", "/v1/policies/{name}/contract", request));
    }
}
/** What opens the API, and for what. */
export class ApiKeys {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    /** The answer has the key itself, this once. */
    create(key, options = {}) {
        return this.#transport.json("post", "/v1/keys", { ...options, body: key, creates: true });
    }
    list(filter = {}, options = {}) {
        return listAt(this.#transport, "/v1/keys", filter, options);
    }
    revoke(id, options = {}) {
        return this.#transport.json("delete", "/v1/keys/{id}", { ...options, params: { id } });
    }
}
/** Jobs that deliver what was skipped or died. */
export class Recoveries {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    get(id, options = {}) {
        return this.#transport.json("get", "/v1/recoveries/{id}", { ...options, params: { id } });
    }
    cancel(id, options = {}) {
        return this.#transport.json("post", "/v1/recoveries/{id}/cancel", { ...options, params: { id }, repeatable: true });
    }
}
