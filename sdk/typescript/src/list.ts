import type { Filter, Operation, Params, Path, Reply } from "./http-types.js";
import type { CallOptions, Transport } from "./transport.js";

/** One page of a list; `next_cursor` is null on the last. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * A list that is fetched page by page as it is gone through:
 *
 *     for await (const delivery of malote.deliveries.list({ state: "dead" })) { … }
 */
export class List<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<P>;

  /** @internal */
  constructor(fetch: (cursor: string | undefined) => Promise<P>) {
    this.#fetch = fetch;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) {
      yield* page.data;
    }
  }

  /** Goes through the list's pages, from `cursor` on when there is one. A page before the last may be short. */
  async *pages(cursor?: string): AsyncGenerator<P, void, undefined> {
    for (let next: string | null | undefined = cursor; next !== null; ) {
      const page: P = await this.#fetch(next);
      yield page;
      next = page.next_cursor;
    }
  }
}

type Item<R> = R extends { data: (infer T)[] } ? T : never;

/** The list at a path of the API. */
export function listAt<P extends Path>(
  transport: Transport,
  path: P,
  filter: Filter<P>,
  options: CallOptions & { params?: Params<Operation<P, "get">> },
) {
  type Answer = Reply<Operation<P, "get">> & Page<Item<Reply<Operation<P, "get">>>>;
  return new List<Item<Answer>, Answer>(async (cursor) => {
    const query = { ...filter, cursor } as never;
    return (await transport.json("get", path, { ...options, query })) as Answer;
  });
}
