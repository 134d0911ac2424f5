import { listAt } from "./list.js";
import { longTimeout } from "./transport.js";
const one = "/v1/sources/{id}";
/** Where other people's webhooks come in. */
export class Sources {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    /** What a source may be of, with the settings that each takes. */
    async providers(options = {}) {
        return (await this.#transport.json("get", "/v1/source_providers", options)).data;
    }
    create(source, options = {}) {
        return this.#transport.json("post", "/v1/sources", { ...options, body: source, creates: true });
    }
    get(id, options = {}) {
        return this.#transport.json("get", one, { ...options, params: { id } });
    }
    list(filter = {}, options = {}) {
        return listAt(this.#transport, "/v1/sources", filter, options);
    }
    update(id, patch, options = {}) {
        return this.#transport.json("patch", one, { ...options, params: { id }, body: patch });
    }
    delete(id, options = {}) {
        return this.#transport.json("delete", one, { ...options, params: { id } });
    }
    pause(id, options = {}) {
        return this.#transport.json("post", `${one}/pause`, { ...options, params: { id }, repeatable: true });
    }
    resume(id, options = {}) {
        return this.#transport.json("post", `${one}/resume`, { ...options, params: { id }, repeatable: true });
    }
    /** Asks the provider for what never came. */
    repair(id, request, options = {}) {
        return this.#transport.json("post", `${one}/repair`, { timeout: longTimeout, ...options, params: { id }, body: request });
    }
    rejections(id, filter = {}, options = {}) {
        return listAt(this.#transport, `${one}/rejections`, filter, { ...options, params: { id } });
    }
    async secrets(id, options = {}) {
        return (await this.#transport.json("get", `${one}/secrets`, { ...options, params: { id } })).data;
    }
    addSecret(id, secret, options = {}) {
        return this.#transport.json("post", `${one}/secrets`, { ...options, params: { id }, body: secret, creates: true });
    }
    rotateSecret(id, rotation, options = {}) {
        const request = { ...options, params: { id }, body: rotation, creates: true };
        return this.#transport.json("post", `${one}/secrets/rotate`, request);
    }
    revokeSecret(id, secret, options = {}) {
        return this.#transport.json("delete", `${one}/secrets/{secret}`, { ...options, params: { id, secret } });
    }
}
