import { oneLine } from "../../errors/one-line.ts";

/**
 * Returns the message of an error of the library for a person at a terminal, who has flags and environment variables
 * where a program has options, fields of the error and functions to call.
 */
export function terminalMessage(message: string, serviceMessage = ""): string {
  const [start, end] = findQuotation(message, oneLine(serviceMessage));
  return sentences
    .reduce(
      (text, [sentence, instead]) => text.replace(sentence, instead),
      start === end ? message : message.slice(0, start) + placeholder + message.slice(end),
    )
    .replace(owners, "")
    .replaceAll(/`([^`\s]+)`/g, (_, name: string) => {
      if (Object.hasOwn(names, name)) return `${names[name]}`;
      return flags.has(name) ? `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` : name;
    })
    .replaceAll(/ {2,}/g, " ")
    .trim()
    .replace(placeholder, () => message.slice(start, end));
}

/** A character that no message has. */
const placeholder = "\uE000";

/** Returns the bounds of the words of the service in the message of a refusal, which may quote only their start. */
function findQuotation(message: string, serviceMessage: string): readonly [start: number, end: number] {
  const start = message.indexOf("): ") + "): ".length;
  let end = start;
  while (end < message.length && message[end] === serviceMessage[end - start]) end += 1;
  return [start, end];
}

/** The functions whose arguments the flags become: a flag names itself. */
const owners =
  /^(?:checkCallbackUrl|checkCallbackUrlLive|createEmulator|fileJournal|reconcile|checkout|resumeCheckout|trip\.\w+|validatePassengers|fees|ticketDeadline|findMany|ai\.conversation): /;

/** Names of the library that flags have. */
const flags: ReadonlySet<string> = new Set(
  "timeout maxTotal acceptIssues extraBody deadlineZone zone at type now".split(" "),
);

/** Names of the library that are called something else at a terminal. */
const names: Readonly<Record<string, string>> = {
  baseUrl: "the base URL (--base-url, SERVICEAPI_BASE_URL)",
  clientId: "the client ID (--client-id, SERVICEAPI_CLIENT_ID)",
  clientSecret: "the client secret (SERVICEAPI_CLIENT_SECRET)",
  dangerouslyAllowHttp: "--allow-http",
  pathPrefixes: "--path-prefix",
  offerIndex: "--result",
  agreedQuote: "--agreed",
  contextToken: "the context token",
  brandDomain: "--brand",
  websiteDomain: "--website",
};

/** Sentences that would send a person to code, and what to do instead. */
export const sentences: readonly (readonly [sentence: RegExp, instead: string])[] = [
  [/clientData\.mobile is not the vpa_mobile that was sent/, "the mobile number in it is another one"],
  [
    / that this library adds; use (\S+), or change `pathPrefixes\.(\w+)`/,
    ", which is added to it; use $1, or pass --path-prefix $2=<path>",
  ],
  [/^pathPrefixes: `(\w+)` must be a path below `baseUrl`/, "--path-prefix $1 must be a path below the base URL"],
  [/`pathPrefixes\.(\w+)`/, "--path-prefix $1"],
  // Refusals and missing responses.
  [/Check `clientId` and `clientSecret` \(/, "Check the client ID and the client secret ("],
  [/Call less often; `retryAfter` says when to retry, if the service named a time\./, "Call less often, and later."],
  [/ See `serviceMessage` and `body` on this error\./, ""],
  [/ `body` on this error holds it whole\./, ""],
  [/Check `baseUrl`, the network/, "Check the base URL, the network"],
  [/, or `tls\.ca` of `nodeFetch`/, ""],
  [/larger than `maxResponseBytes` allows; raise it if that is right/, "too large"],
  [/ Raise `stream\.maxEventBytes` if you expect such events\./, ""],
  [/ \(`(?:total|stream)[\w.]*`\)/, ""],
  [/ `partialText` and `contextToken` hold what was received\./, ""],
  // Bookings. The commands that close one are printed after the message.
  [/ If a checkout sent it, then close its row: .*? that there is no booking\./, ""],
  [/names a booking \(`pnr`, `bookingId`\)/, "names a booking"],
  [/, or bookAll\(\) books them/, "; each run of the command books one"],
  [/close it with reconcile\(\)/, "close it with npx serviceapi bookings reconcile"],
  [/pass `allowDuplicate: true`/, "pass --force"],
  [/show the new (?:quote|price) and ask again/, "look at the new quote first"],
  [/The row was settled meanwhile: it is/, "The booking is closed already: it is"],
  [/; see `row`/, ""],
  [/`found` needs a PNR/, "--booked needs a PNR"],
  [/leave the row open/, "leave it open"],
  [/Pass "notBooked" only/, "Pass --not-booked only"],
  [/; only a new journal, with `create: true`, has no file yet/, "; a new one begins with npx serviceapi book"],
  [/ See `cause`\./, ""],
  [/, or a Date with `zone`/, ""],
  [/, such as `error\.quote` or `trip\.shown\.body`/, ", such as quote --json prints it"],
  [/, or a function(?=\.|$)/, ""],
  [/ that `new Date\(now\)` can read/, ", such as 2026-11-20T06:00:00Z"],
];
