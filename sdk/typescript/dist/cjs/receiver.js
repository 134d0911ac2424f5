"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Receiver = void 0;
const answer_js_1 = require("./answer.js");
const headers_js_1 = require("./headers.js");
const message_js_1 = require("./message.js");
const seen_js_1 = require("./seen.js");
const verify_js_1 = require("./verify.js");
/** The largest body that a receiver reads unless it is told otherwise, in bytes. */
const defaultMaxBody = 1 << 20;
/** The part of a receiver that is the same in every runtime. */
class Receiver {
    #verifier;
    #handle;
    #maxBody;
    #seen;
    #observe;
    constructor(secrets, handle, options) {
        this.#verifier = new verify_js_1.Verifier(secrets, options);
        this.#handle = handle;
        this.#maxBody = options.maxBody ?? defaultMaxBody;
        // Without a store of the caller's, C is Claim itself.
        this.#seen = options.seen ?? new seen_js_1.MemorySeen();
        this.#observe = options.observe ?? logObservation;
    }
    async receive(incoming) {
        const accepted = await this.#accept(incoming);
        const message = accepted instanceof message_js_1.Message ? accepted : undefined;
        const answer = accepted instanceof message_js_1.Message ? await this.#handleOnce(accepted) : accepted;
        const { outcome, status, error } = answer;
        try {
            this.#observe({ outcome, status, ...(message && { message }), error });
        }
        catch (failure) {
            console.error("malote: observe failed", failure);
        }
        return (0, answer_js_1.writeAnswer)(answer, message?.id);
    }
    /** The verified message, or the answer that refuses the request. */
    async #accept({ method, headers, read }) {
        if (method !== "POST") {
            return (0, answer_js_1.refuse)(405, "method_not_allowed", new Error("not a POST request"));
        }
        const values = new headers_js_1.HeaderValues(headers);
        let envelope;
        try {
            envelope = this.#verifier.open(values);
        }
        catch (error) {
            return (0, answer_js_1.refuseVerify)(error);
        }
        let body;
        try {
            body = await read(this.#maxBody);
        }
        catch (error) {
            return (0, answer_js_1.refuseBody)(error);
        }
        if (!body) {
            return (0, answer_js_1.refuse)(413, "body_too_large", new Error(`the body is larger than ${this.#maxBody} bytes`));
        }
        return this.#verifier.check(envelope, values, body).catch(answer_js_1.refuseVerify);
    }
    /** Claims the id, handles the message and settles the claim. */
    async #handleOnce(message) {
        let claim;
        try {
            claim = await this.#seen.claim(message.id);
        }
        catch (error) {
            return (0, answer_js_1.later)("failed", "store_unavailable", error);
        }
        if (claim === "handled") {
            return { outcome: "duplicate", status: 200 };
        }
        if (claim === "being_handled") {
            return (0, answer_js_1.later)("busy", "in_progress");
        }
        try {
            await this.#handle(message, claim);
        }
        catch (error) {
            return release(claim, error);
        }
        try {
            await claim.keep();
        }
        catch (error) {
            if (error instanceof seen_js_1.NotCommittedError) {
                return release(claim, error);
            }
            // The work is done: asking for another attempt because it could not be
            // recorded would make certain that it is done twice.
            return { outcome: "handled", status: 200, error };
        }
        return { outcome: "handled", status: 200 };
    }
}
exports.Receiver = Receiver;
async function release(claim, error) {
    try {
        await claim.release();
    }
    catch (failure) {
        return { ...(0, answer_js_1.failed)(error), error: new AggregateError([error, failure], "the webhook failed, and so did releasing its id") };
    }
    return (0, answer_js_1.failed)(error);
}
function logObservation({ outcome, status, message, error }) {
    if (outcome === "refused") {
        console.warn(`malote: webhook refused with ${status}:`, error);
    }
    else if (error !== undefined && outcome !== "busy") {
        console.error(`malote: webhook ${message?.id ?? ""} ${outcome} with ${status}:`, error);
    }
}
