/**
 * A list that is fetched page by page as it is gone through:
 *
 *     for await (const delivery of malote.deliveries.list({ state: "dead" })) { … }
 */
export class List {
    #fetch;
    /** @internal */
    constructor(fetch) {
        this.#fetch = fetch;
    }
    async *[Symbol.asyncIterator]() {
        for await (const page of this.pages()) {
            yield* page.data;
        }
    }
    /** Goes through the list's pages, from `cursor` on when there is one. A page before the last may be short. */
    async *pages(cursor) {
        for (let next = cursor; next !== null;) {
            const page = await this.#fetch(next);
            yield page;
            next = page.next_cursor;
        }
    }
}
/** The list at a path of the API. */
export function listAt(transport, path, filter, options) {
    return new List(async (cursor) => {
        const query = { ...filter, cursor };
        return (await transport.json("get", path, { ...options, query }));
    });
}
