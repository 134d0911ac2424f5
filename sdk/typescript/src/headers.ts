/**
 * The headers of a request: a Fetch `Headers`, Node's `req.headers`, a list of
 * pairs or a plain object; names in any case.
 */
export type HeaderSource =
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | readonly string[] | undefined };

/** The values of each header, by its name in lower case. */
export class HeaderValues {
  readonly #values = new Map<string, string[]>();

  constructor(source: HeaderSource) {
    const pairs = Symbol.iterator in source ? source : Object.entries(source);
    for (const [name, value] of pairs) {
      if (value === undefined) {
        continue;
      }
      const key = name.toLowerCase();
      const values = typeof value === "string" ? [value] : value;
      this.#values.set(key, [...this.all(key), ...values]);
    }
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  first(name: string): string {
    return this.all(name)[0] ?? "";
  }
}
