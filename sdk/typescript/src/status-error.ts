/**
 * Thrown by the function that handles webhooks, it chooses the answer: 429 or 503
 * with a wait when it cannot keep up, 410 when it wants no more.
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  /** In seconds; rounded up. */
  readonly retryAfter: number | undefined;

  constructor(
    /** 400 to 599; anything else becomes 500. */
    readonly status: number,
    options: { retryAfter?: number; cause?: unknown } = {},
  ) {
    super(`answering ${status}`, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}
