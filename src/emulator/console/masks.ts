import { parseJson } from "../../shared/json.ts";
import { maskPersonalData } from "../../transport/log.ts";
import { isCredentialHeader } from "../../transport/redact.ts";

/** Returns the beginning of a string, with its length if it is cut. */
export function cutText(text: string, length = 2_000): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

/** Headers that say nothing about a person. All others are masked. */
const plainHeaders = new Set([
  ...["accept", "accept-encoding", "accept-language", "connection", "content-length", "content-type", "host"],
  ...["idempotency-key", "location", "retry-after", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site"],
  ...["traceparent", "transfer-encoding", "user-agent", "x-emulator-response", "x-request-id"],
]);

/** Returns headers for the page. Credentials are masked even if personal data is shown. */
export function showHeaders(headers: Readonly<Record<string, string>>, showsPersonalData: boolean) {
  return Object.entries(headers).map(([name, value]) => {
    const isSecret = name === "client-id" || isCredentialHeader(name);
    const isShown = !isSecret && (showsPersonalData || plainHeaders.has(name));
    return [cutText(name, 100), isShown ? cutText(value, 500) : lengthOf(value)] as const;
  });
}

/** More than a person reads on a page. */
const maxLength = 50_000;

/** Returns JSON as lines, or its length if it is long, masked as in the client's logs; credentials in either case. */
export function showJson(value: unknown, showsPersonalData: boolean): string {
  try {
    const lines = maskedJson(value, showsPersonalData, 2);
    return lines.length > maxLength ? lengthOf(lines) : lines;
  } catch {
    return "[too many levels]";
  }
}

/** Returns a string that is not JSON, or its length: nobody knows what is in it. */
export function showText(text: string, showsPersonalData: boolean): string {
  return text === "" || (showsPersonalData && !namesCredential(text)) ? cutText(text) : lengthOf(text);
}

/** Returns one piece of a stream: the JSON in it is masked, and so is all that is not JSON. */
export function showPiece(piece: string, showsPersonalData: boolean): string {
  if (showsPersonalData && !namesCredential(piece)) return piece;
  const lines = piece.trim().split(/[\r\n]+/);
  return lines.map((line) => showLine(line, showsPersonalData)).join("\n");
}

/** Lines of server-sent events that hold no data. */
const plainLine = /^: keep-alive$|^event: ?\w{1,40}$|^id: ?\d{1,5}$|^data: ?\[DONE\]$|^$/;

function showLine(line: string, showsPersonalData: boolean): string {
  if (plainLine.test(line)) return line;
  const before = /^\uFEFF?(?:data: ?)?[\s,[]*/.exec(line)?.[0] ?? "";
  const end = /^[\s\]]*$/.test(line.slice(line.lastIndexOf("}") + 1)) ? line.lastIndexOf("}") + 1 : line.length;
  const data = line.slice(before.length, end);
  const value = parseJson(data);
  const shown = value === undefined ? lengthOf(data) : maskedJson(value, showsPersonalData);
  return `${before}${shown}${line.slice(end)}`;
}

/** A body may repeat credentials, as in `clientData.client_id` (§4.1): they are masked even with personal data. */
function maskedJson(value: unknown, showsPersonalData: boolean, indent?: number): string {
  if (!showsPersonalData) return JSON.stringify(maskPersonalData(value), undefined, indent);
  const show = (name: string, part: unknown) => {
    if (namesCredential(name)) return lengthOf(typeof part === "string" ? part : JSON.stringify(part));
    return typeof part === "string" ? cutText(part) : part;
  };
  return JSON.stringify(value, show, indent);
}

function namesCredential(text: string): boolean {
  return /client[-_]?(?:id|secret)/i.test(text);
}

/** Returns a path. That of an operation is known; any other may hold numbers and addresses. */
export function showPath(path: string, isKnown: boolean, showsPersonalData: boolean): string {
  const shown = isKnown || showsPersonalData ? path : path.replaceAll(/(?<![^/])[^/]*(?:@|%40)[^/]*|\d{4,}/gi, "…");
  return cutText(shown, 300);
}

function lengthOf(text: string): string {
  return `[${text.length} characters]`;
}
