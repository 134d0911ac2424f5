/** An answer that is no success. */
export class MaloteError extends Error {
    name = "MaloteError";
    /** Of the answer, such as 409. */
    status;
    /** What programs branch on; "" when the answer is not one of Malote's. */
    code;
    /** The status in words. */
    title;
    /** What is wrong with this request and what to do about it, for people. */
    detail;
    /** The parts of the request that are wrong. */
    errors;
    /** Which event of a batch is wrong, counted from 0. */
    index;
    /** Under which Malote's log has an internal failure. */
    requestId;
    /** How long Malote asks to wait, in seconds. */
    retryAfter;
    /** @internal */
    constructor({ method, path }, status, problem, retryAfter) {
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
    get temporary() {
        return [429, 502, 503, 504].includes(this.status);
    }
}
/**
 * No whole answer came, and `cause` says why. Whether the request took effect is
 * not known.
 */
export class ConnectionError extends Error {
    name = "ConnectionError";
    constructor({ method, path }, cause) {
        const why = cause instanceof Error ? (cause.cause?.message ?? cause.message) : String(cause);
        super(`${method} ${path}: ${why}`, { cause });
    }
}
