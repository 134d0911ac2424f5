/** A webhook whose signature held. */
export class Message {
    /**
     * The webhook-id: the same on every attempt and resend of one event, and so
     * the key to recognise a repetition by. The hex scheme does not sign it.
     */
    id;
    /** When this attempt was signed. It is not the time of the event. */
    timestamp;
    /** Counts from 1; 0 when the sender does not say. Not signed. */
    attempt;
    /** Why the attempt was made: schedule, replay, test or recover; "" when the sender does not say. Not signed. */
    trigger;
    /**
     * The place of the first matching secret among those given. With the current
     * one first, a rotated one can go once its place no longer turns up here.
     */
    secret;
    /** Exactly what was signed. */
    body;
    #headers;
    /** @internal */
    constructor(id, seconds, secret, body, headers) {
        const attempt = headers.first("webhook-attempt");
        this.id = id;
        this.timestamp = new Date(seconds * 1000);
        this.attempt = /^[0-9]{1,9}$/.test(attempt) ? Number(attempt) : 0;
        this.trigger = headers.first("webhook-trigger");
        this.secret = secret;
        this.body = body;
        this.#headers = headers;
    }
    /** A header of the request. Only id, timestamp and body are signed. */
    header(name) {
        const values = this.#headers.all(name.toLowerCase());
        return values.length > 0 ? values.join(", ") : undefined;
    }
    /** The body as text; throws TypeError when it is not UTF-8. */
    text() {
        return new TextDecoder("utf-8", { fatal: true }).decode(this.body);
    }
    /**
     * The body parsed as JSON. Numbers beyond 2^53 lose digits here, as always in
     * JavaScript: `text()` has them all.
     */
    json() {
        return JSON.parse(this.text());
    }
}
