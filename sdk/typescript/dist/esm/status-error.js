/**
 * Thrown by the function that handles webhooks, it chooses the answer: 429 or 503
 * with a wait when it cannot keep up, 410 when it wants no more.
 */
export class StatusError extends Error {
    status;
    name = "StatusError";
    /** In seconds; rounded up. */
    retryAfter;
    constructor(
    /** 400 to 599; anything else becomes 500. */
    status, options = {}) {
        super(`answering ${status}`, { cause: options.cause });
        this.status = status;
        this.retryAfter = options.retryAfter;
    }
}
