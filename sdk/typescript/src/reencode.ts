import { concat, utf8 } from "./bytes.js";

const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Yields the bodies that a sender may have signed if `body` is what is left of it
 * after something on the way parsed it and wrote it anew, each with what was done.
 * Key order and numbers cannot be brought back and are not tried.
 */
export function* originals(body: Uint8Array): Generator<[what: string, original: Uint8Array]> {
  yield ["the line break at its end was removed", concat(body, utf8("\n"))];
  yield ["the line break at its end was removed", concat(body, utf8("\r\n"))];
  yield ["the byte order mark was removed", concat(byteOrderMark, body)];
  const text = decode(body);
  if (text === undefined) {
    return;
  }
  const lines = text.replace(/\r\n/g, "\n");
  yield ["a line break was added at its end", utf8(text.replace(/[\r\n]+$/, ""))];
  yield ["a byte order mark was added", utf8(text.replace(/^\ufeff/, ""))];
  yield ["line breaks became CR LF", utf8(lines)];
  yield ["line breaks lost their CR", utf8(lines.replace(/\n/g, "\r\n"))];
  if (isJSON(text)) {
    for (const [what, original] of originalJSON(text)) {
      yield [what, utf8(original)];
    }
  }
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Varies the white space and the escapes of a JSON text, in which encoders differ most. */
function* originalJSON(text: string): Generator<[what: string, original: string]> {
  const white = "white space in the JSON changed";
  const tokens = tokensOf(text);
  if (isIndentable(tokens, text.length)) {
    yield [white, indent(tokens, "  ")];
    yield [white, indent(tokens, "    ")];
  }
  for (const spaced of [text, tokens.join(""), tokens.map(spaceAfter).join("")]) {
    const what = spaced === text ? "escapes in the JSON changed" : white;
    const plain = unescape(spaced);
    const ascii = escape(plain, /[^\0-\x7f]/g);
    yield [what, spaced];
    yield [what, plain];
    yield [what, ascii];
    yield [what, escape(plain, /[<>&\u2028\u2029]/g)];
    yield [what, ascii.replace(/\//g, "\\/")];
  }
}

/**
 * Whether indenting by four makes a text no more than eight times as long. Depth costs by its
 * square: a forged body of nothing but brackets would take seconds, and no sender ever indented it.
 */
function isIndentable(tokens: string[], length: number): boolean {
  let size = length;
  let depth = 0;
  for (const token of tokens) {
    if (token === "{" || token === "[") {
      depth++;
    } else if (token === "}" || token === "]") {
      depth--;
    } else if (token !== ",") {
      continue;
    }
    size += 1 + 4 * depth;
  }
  return size <= 8 * length + 4096;
}

/** Strings, punctuation, and the rest, without the white space between them. */
function tokensOf(json: string): string[] {
  return json.match(/"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
}

/** A space after every comma and colon, as Python's json.dumps writes. */
function spaceAfter(token: string): string {
  return token === "," || token === ":" ? `${token} ` : token;
}

function indent(tokens: string[], step: string): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${step.repeat(depth)}`;
  for (const [i, token] of tokens.entries()) {
    const empty = /^[{[]$/.test(tokens[i - 1] ?? "");
    if (token === "}" || token === "]") {
      depth--;
      out += empty ? token : line() + token;
      continue;
    }
    out += empty ? line() + token : token;
    if (token === "{" || token === "[") {
      depth++;
    } else if (token === ",") {
      out += line();
    } else if (token === ":") {
      out += " ";
    }
  }
  return out;
}

/** Replaces the escapes that JSON does not require by what they stand for. */
function unescape(json: string): string {
  const pair = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
  return json.replace(new RegExp(String.raw`${pair}|\\u[0-9a-fA-F]{4}|\\[^]`, "g"), (escaped) => {
    if (escaped === "\\/") {
      return "/";
    }
    if (!escaped.startsWith("\\u")) {
      return escaped;
    }
    const plain = JSON.parse(`"${escaped}"`) as string;
    return /^["\\\0-\x1f\ud800-\udfff]$/.test(plain) ? escaped : plain;
  });
}

/** Writes the characters as \uXXXX, those beyond 16 bits as two. */
function escape(json: string, characters: RegExp): string {
  return json.replace(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
