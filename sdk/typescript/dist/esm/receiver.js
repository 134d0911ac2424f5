import { failed, later, refuse, refuseBody, refuseVerify, writeAnswer, } from "./answer.js";
import { HeaderValues } from "./headers.js";
import { Message } from "./message.js";
import { MemorySeen, NotCommittedError } from "./seen.js";
import { Verifier } from "./verify.js";
/** The largest body that a receiver reads unless it is told otherwise, in bytes. */
const defaultMaxBody = 1 << 20;
/** The part of a receiver that is the same in every runtime. */
export class Receiver {
    #verifier;
    #handle;
    #maxBody;
    #seen;
    #observe;
    constructor(secrets, handle, options) {
        this.#verifier = new Verifier(secrets, options);
        this.#handle = handle;
        this.#maxBody = options.maxBody ?? defaultMaxBody;
        // Without a store of the caller's, C is Claim itself.
        this.#seen = options.seen ?? new MemorySeen();
        this.#observe = options.observe ?? logObservation;
    }
    async receive(incoming) {
        const accepted = await this.#accept(incoming);
        const message = accepted instanceof Message ? accepted : undefined;
        const answer = accepted instanceof Message ? await this.#handleOnce(accepted) : accepted;
        const { outcome, status, error } = answer;
        try {
            this.#observe({ outcome, status, ...(message && { message }), error });
        }
        catch (failure) {
            console.error("malote: observe failed", failure);
        }
        return writeAnswer(answer, message?.id);
    }
    /** The verified message, or the answer that refuses the request. */
    async #accept({ method, headers, read }) {
        if (method !== "POST") {
            return refuse(405, "method_not_allowed", new Error("not a POST request"));
        }
        const values = new HeaderValues(headers);
        let envelope;
        try {
            envelope = this.#verifier.open(values);
        }
        catch (error) {
            return refuseVerify(error);
        }
        let body;
        try {
            body = await read(this.#maxBody);
        }
        catch (error) {
            return refuseBody(error);
        }
        if (!body) {
            return refuse(413, "body_too_large", new Error(`the body is larger than ${this.#maxBody} bytes`));
        }
        return this.#verifier.check(envelope, values, body).catch(refuseVerify);
    }
    /** Claims the id, handles the message and settles the claim. */
    async #handleOnce(message) {
        let claim;
        try {
            claim = await this.#seen.claim(message.id);
        }
        catch (error) {
            return later("failed", "store_unavailable", error);
        }
        if (claim === "handled") {
            return { outcome: "duplicate", status: 200 };
        }
        if (claim === "being_handled") {
            return later("busy", "in_progress");
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
            if (error instanceof NotCommittedError) {
                return release(claim, error);
            }
            // The work is done: asking for another attempt because it could not be
            // recorded would make certain that it is done twice.
            return { outcome: "handled", status: 200, error };
        }
        return { outcome: "handled", status: 200 };
    }
}
async function release(claim, error) {
    try {
        await claim.release();
    }
    catch (failure) {
        return { ...failed(error), error: new AggregateError([error, failure], "the webhook failed, and so did releasing its id") };
    }
    return failed(error);
}
function logObservation({ outcome, status, message, error }) {
    if (outcome === "refused") {
        console.warn(`malote: webhook refused with ${status}:`, error);
    }
    else if (error !== undefined && outcome !== "busy") {
        console.error(`malote: webhook ${message?.id ?? ""} ${outcome} with ${status}:`, error);
    }
}
