import type { components } from "./openapi.js";

type Problem = components["schemas"]["Problem"];

/** What went wrong, as a stable name. */
export type ErrorCode = Problem["code"];

/** Which request an error is about; the path is without its query. */
export interface RequestName {
  method: string;
  path: string;
}

/** An answer that is no success. */
export class MaloteError extends Error {
  override readonly name = "MaloteError";
  /** Of the answer, such as 409. */
  readonly status: number;
  /** What programs branch on; "" when the answer is not one of Malote's. */
  readonly code: ErrorCode | "";
  /** The status in words. */
  readonly title: string;
  /** What is wrong with this request and what to do about it, for people. */
  readonly detail: string;
  /** The parts of the request that are wrong. */
  readonly errors: NonNullable<Problem["errors"]>;
  /** Which event of a batch is wrong, counted from 0. */
  readonly index: number | undefined;
  /** Under which Malote's log has an internal failure. */
  readonly requestId: string | undefined;
  /** How long Malote asks to wait, in seconds. */
  readonly retryAfter: number | undefined;

  /** @internal */
  constructor({ method, path }: RequestName, status: number, problem: Partial<Problem>, retryAfter?: number) {
    const detail = problem.detail ?? "it is not in Malote's form: is this the address of a Malote, and nothing in between?";
    const errors = problem.errors ?? [];
    // Of a single fault the detail has it.
    const more = errors.filter((fault) => !detail.includes(fault.detail)).map(({ field, detail }) => ` ${field}: ${detail}`);
    super(`${method} ${path}: ${problem.code ?? "HTTP"} (${status}): ${detail}${more.join("")}`);
    this.status = status;
    this.code = problem.code ?? "";
    this.title = problem.title ?? "";
    this.detail = detail;
    this.errors = errors;
    this.index = problem.index;
    this.requestId = problem.request_id;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed in a moment. */
  get temporary(): boolean {
    return [429, 502, 503, 504].includes(this.status);
  }
}

/**
 * No whole answer came, and `cause` says why. Whether the request took effect is
 * not known.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor({ method, path }: RequestName, cause: unknown) {
    const why = cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
    super(`${method} ${path}: ${why}`, { cause });
  }
}
