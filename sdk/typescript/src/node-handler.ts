import { concat, toBytes } from "./bytes.js";
import { type Handle, Receiver, type ReceiverOptions } from "./receiver.js";
import type { Secrets } from "./secret-parse.js";
import type { Claim } from "./seen.js";
import { UsageError } from "./usage-error.js";

/** What is used of node:http's IncomingMessage, and of what Express and others add to it. */
export interface NodeRequest {
  method?: string | undefined;
  rawHeaders: string[];
  readonly readableDidRead?: boolean;
  on(event: string, listener: (value: Uint8Array | string) => void): unknown;
  body?: unknown;
  rawBody?: unknown;
}

/** What is used of node:http's ServerResponse. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/**
 * A complete receiver for node:http and what is built on it, such as Express: it
 * caps the body, verifies it, calls `handle` once per webhook-id and answers
 *
 * - 200 `{"id", "duplicate"}` when `handle` returned, now or on an earlier request;
 * - 500 when it threw, or what a StatusError asks for; the id is free again, so
 *   that the sender's next attempt is handled anew;
 * - 503 with Retry-After while another request with the same id is being handled,
 *   or when the store cannot tell;
 * - 401 for a signature that does not hold or a timestamp out of tolerance, 400
 *   for missing or unreadable headers or a broken-off body, 405 for anything but
 *   POST, 413 for a body over the limit.
 *
 * Errors are application/problem+json with the reason as `code`.
 *
 * The body must be as it arrived: mount this before body parsers. A Buffer that
 * express.raw() or the platform left in `req.body` or `req.rawBody` will do.
 */
export function nodeHandler<C extends Claim = Claim>(
  secrets: Secrets,
  handle: Handle<C>,
  options: ReceiverOptions<C> = {},
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receiver = new Receiver(secrets, handle, options);
  return async (request, response) => {
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      headers: pairs(request.rawHeaders),
      read: (limit) => readBody(request, limit),
    });
    response.writeHead(status, { ...headers, "content-length": String(toBytes(body).length) });
    response.end(body);
  };
}

/** rawHeaders alternates names and values, and keeps apart what is there twice. */
function* pairs(rawHeaders: string[]): Generator<readonly [string, string]> {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    yield [rawHeaders[i]!, rawHeaders[i + 1]!];
  }
}

async function readBody(request: NodeRequest, limit: number): Promise<Uint8Array | undefined> {
  const whole = [request.rawBody, request.body].find((body) => typeof body === "string" || body instanceof Uint8Array);
  if (whole !== undefined) {
    const bytes = toBytes(whole as string | Uint8Array);
    return bytes.length > limit ? undefined : bytes;
  }
  if (request.readableDidRead) {
    throw new UsageError("parsed_body");
  }
  const declared = [...pairs(request.rawHeaders)].find(([name]) => name.toLowerCase() === "content-length");
  if (declared && Number(declared[1]) > limit) {
    return undefined;
  }
  return collect(request, limit);
}

function collect(request: NodeRequest, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (part) => {
      const bytes = toBytes(part);
      length += bytes.length;
      if (length <= limit) {
        parts.push(bytes);
        return;
      }
      // The rest flows by unkept: a connection closed with bytes unread would
      // take the answer with it.
      parts.length = 0;
      resolve(undefined);
    });
    request.on("end", () => resolve(concat(...parts)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the connection closed within the body")));
  });
}
