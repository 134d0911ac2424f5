import {
  type Answer,
  type Outcome,
  type Reply,
  failed,
  later,
  refuse,
  refuseBody,
  refuseVerify,
  writeAnswer,
} from "./answer.js";
import type { Envelope } from "./envelope.js";
import { type HeaderSource, HeaderValues } from "./headers.js";
import { Message } from "./message.js";
import type { Secrets } from "./secret-parse.js";
import { type Claim, MemorySeen, NotCommittedError, type Seen } from "./seen.js";
import { Verifier, type VerifyOptions } from "./verify.js";

/** The largest body that a receiver reads unless it is told otherwise, in bytes. */
const defaultMaxBody = 1 << 20;

/**
 * Called with every webhook that verifies, once per webhook-id unless it throws:
 * then the sender is answered 500, or what a StatusError asks for, and comes
 * again. Work that outlasts the sender's patience (often 5 to 15 s) belongs in a
 * queue of the receiver's own.
 *
 * The claim is the store's. It is settled afterwards; only stores whose claims
 * can do more than keep and release give a reason to use it.
 */
export type Handle<C extends Claim = Claim> = (message: Message, claim: C) => unknown;

export interface ReceiverOptions<C extends Claim = Claim> extends VerifyOptions {
  /** The largest body that is read, in bytes; 1 MiB when left out. Larger ones are answered with 413. */
  maxBody?: number;
  /** What repetitions are recognised by; a MemorySeen when left out. */
  seen?: Seen<C>;
  /**
   * Called for every request, just before it is answered. When it is left out,
   * refusals are logged as warnings and failures as errors.
   */
  observe?: (observation: Observation) => void;
}

/** One request to a receiver, for logs and metrics. */
export interface Observation {
  outcome: Outcome;
  /** Of the answer. */
  status: number;
  /** Absent when the request was refused. */
  message?: Message;
  /** Why: a VerifyError of a refusal, what the handler or the store threw of a failure. */
  error?: unknown;
}

/** A request, as the runtimes give it. */
export interface Incoming {
  method: string | undefined;
  headers: HeaderSource;
  /** Reads the body; undefined when it is larger than `limit` bytes, a UsageError when it was read before. */
  read: (limit: number) => Promise<Uint8Array | undefined>;
}

/** The part of a receiver that is the same in every runtime. */
export class Receiver<C extends Claim> {
  readonly #verifier: Verifier;
  readonly #handle: Handle<C>;
  readonly #maxBody: number;
  readonly #seen: Seen<C>;
  readonly #observe: (observation: Observation) => void;

  constructor(secrets: Secrets, handle: Handle<C>, options: ReceiverOptions<C>) {
    this.#verifier = new Verifier(secrets, options);
    this.#handle = handle;
    this.#maxBody = options.maxBody ?? defaultMaxBody;
    // Without a store of the caller's, C is Claim itself.
    this.#seen = options.seen ?? (new MemorySeen() as unknown as Seen<C>);
    this.#observe = options.observe ?? logObservation;
  }

  async receive(incoming: Incoming): Promise<Reply> {
    const accepted = await this.#accept(incoming);
    const message = accepted instanceof Message ? accepted : undefined;
    const answer = accepted instanceof Message ? await this.#handleOnce(accepted) : accepted;
    const { outcome, status, error } = answer;
    try {
      this.#observe({ outcome, status, ...(message && { message }), error });
    } catch (failure) {
      console.error("malote: observe failed", failure);
    }
    return writeAnswer(answer, message?.id);
  }

  /** The verified message, or the answer that refuses the request. */
  async #accept({ method, headers, read }: Incoming): Promise<Message | Answer> {
    if (method !== "POST") {
      return refuse(405, "method_not_allowed", new Error("not a POST request"));
    }
    const values = new HeaderValues(headers);
    let envelope: Envelope;
    try {
      envelope = this.#verifier.open(values);
    } catch (error) {
      return refuseVerify(error);
    }
    let body: Uint8Array | undefined;
    try {
      body = await read(this.#maxBody);
    } catch (error) {
      return refuseBody(error);
    }
    if (!body) {
      return refuse(413, "body_too_large", new Error(`the body is larger than ${this.#maxBody} bytes`));
    }
    return this.#verifier.check(envelope, values, body).catch(refuseVerify);
  }

  /** Claims the id, handles the message and settles the claim. */
  async #handleOnce(message: Message): Promise<Answer> {
    let claim: C | "handled" | "being_handled";
    try {
      claim = await this.#seen.claim(message.id);
    } catch (error) {
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
    } catch (error) {
      return release(claim, error);
    }
    try {
      await claim.keep();
    } catch (error) {
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

async function release(claim: Claim, error: unknown): Promise<Answer> {
  try {
    await claim.release();
  } catch (failure) {
    return { ...failed(error), error: new AggregateError([error, failure], "the webhook failed, and so did releasing its id") };
  }
  return failed(error);
}

function logObservation({ outcome, status, message, error }: Observation): void {
  if (outcome === "refused") {
    console.warn(`malote: webhook refused with ${status}:`, error);
  } else if (error !== undefined && outcome !== "busy") {
    console.error(`malote: webhook ${message?.id ?? ""} ${outcome} with ${status}:`, error);
  }
}
