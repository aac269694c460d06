import { type ApiErrorKind, remedyOf } from "../../errors/base.ts";
import { wordsOf } from "../../shared/names.ts";
import type { OperationResponse } from "../envelope.ts";

/**
 * The parts of a refusal that decide its kind. The message is unredacted: redaction must not change a kind
 * (docs/assumptions.md, A7).
 */
type Refusal = Pick<OperationResponse, "httpStatus"> &
  Partial<Pick<OperationResponse, "statusCode" | "serviceMessage">>;

interface Row {
  readonly kind: ApiErrorKind;
  /** Codes of the body, or HTTP statuses if the body has no code of 400 and above. */
  readonly codes?: readonly number[];
  /**
   * Patterns for the message: all patterns of one list must match. Several small patterns, instead of one with `.*` in
   * it, take linear time.
   */
  readonly says?: readonly (readonly RegExp[])[];
}

const spoiled = /\b(invalid|malformed|expired|not valid|no longer valid)\b/;
const access =
  /\b(access|auth|bearer|api) ?token\b|\bapi ?key\b|\bcredentials?\b|\bclient ?(id|secret)\b|\busername or password\b/;
const timeOut = /\btimed? ?out\b/;

/**
 * Pattern for a message about an offer that is no longer available. The words are adjacent: "Flight booking status not
 * available" is not about a flight that is gone.
 */
const offerGone = new RegExp(
  [
    "\\b(flights?|fares?|offers?|seats?|itinerary|class)( (you )?(selected|requested|chose|chosen))?( [a-z0-9]{2} ?[0-9]{1,4})?" +
      "( (is|are|was|were|has become|have become))?( (currently|now))? ?(((no longer|no more|not)( currently)? available)|unavailable)\\b",
    "\\bsold out\\b|\\bclosed for sale\\b|\\bfully booked\\b|\\bno (more )?(seats?|fares?|flights?) (are |is )?(available|left|remaining)\\b",
    "\\b(price|fare)s? (has |have |is |was )?(been )?(changed|increased)\\b|\\b(flight|fare)s? (has |have |is )?(expired|departed)\\b",
  ].join("|"),
);

/**
 * The kind of each refusal: the first row with a matching code or message decides. The messages are the conditions of
 * §7, whatever code comes with them, and assumptions of the samples where §7 shows no body.
 *
 * What was done already, or is being done, comes first: a booking that is called "invalid" because it exists must not
 * be mistaken for one that was refused.
 */
const table: readonly Row[] = [
  {
    kind: "duplicate",
    codes: [208],
    says: [
      [/\balready\b[\w ]{0,40}?\b(exist|book|confirm|process|ticket|issued|used|creat|made|complet|reserv|submit)/],
      [/\bduplicat(e|es|ed|ion)\b/],
    ],
  },
  { kind: "authentication", codes: [401] },
  {
    kind: "rate_limited",
    codes: [429],
    says: [
      [/\btoo many (concurrent )?(requests?|calls|attempts)\b|\b(rate|api|request|call) limit|\bthrottled\b/],
      [/\bquotas?\b/, /\bexceeded\b/],
    ],
  },
  { kind: "permission", codes: [403] },
  {
    kind: "in_progress",
    codes: [102, 202, 206],
    says: [
      [/\b(in|under) ?(progress|process(ing)?)\b|\b(being|still) process/],
      [/\b(pending|awaiting|queued)\b/, /\b(book|confirm|airline|supplier|ticket|request)/],
      [/\bpartial(ly)?\b/, /\bbook(ed|ing)?\b/],
    ],
  },
  {
    kind: "unavailable",
    says: [
      [
        /\b(services?|systems?|servers?) ((is|are) )?((currently|temporarily) )?(unavailable|unavailability|not available|down)\b/,
      ],
      [/\btemporar(y|ily)\b/, /\b(unavailab|not available|outage|down\b)/],
      [/\b(temporary|internal|system|server) (system |server |service )?(error|failure)\b|\bsomething went wrong\b/],
    ],
  },
  {
    kind: "permission",
    says: [
      [/\bip\b/, /\b(not|un) ?(registered|whitelisted|allowed|authori[sz]ed)\b/],
      [
        /\baccess (is )?(restricted|denied)\b|\bforbidden\b|\bnot (have (the )?permission|(allowed|permitted) to (access|use|call))/,
      ],
      [/\b(your account|client|agency|agent|partner)\b/, /\b(suspended|disabled|deactivated)\b/],
    ],
  },
  {
    kind: "trace_mismatch",
    says: [[/\btrace|\btokens?\b/, /\bmis ?match|\b(not|doesn't|don't) (match|belong)\b|\bbelong to different/]],
  },
  {
    kind: "authentication",
    says: [
      [/\bauthentication (has )?(failed|failure|error|required)\b|\bunauthori[sz]ed\b|\bnot authenticated\b/],
      [spoiled, access],
      [/\b(missing|wrong|no (api|access|auth|client|credentials?))\b/, access],
    ],
  },
  {
    kind: "session_expired",
    says: [
      [spoiled, /\btoken\b|\bsession\b|\btrace ?id\b/],
      [/\bsession\b/, timeOut],
      [/\b(token|session)\b/, /\bnot (found|exist)\b/],
    ],
  },
  {
    kind: "offer_unavailable",
    says: [[offerGone]],
  },
  { kind: "unavailable", says: [[timeOut]] },
  {
    kind: "insufficient_balance",
    codes: [402],
    says: [
      [/\binsufficient|\btoo low\b|\bnot (have )?enough\b/, /\b(balance|funds?)\b/],
      [/\b(credit|wallet) limit\b/],
    ],
  },
  { kind: "not_found", codes: [404] },
  { kind: "duplicate", codes: [409] },
  { kind: "unavailable", codes: [408, 503] },
  { kind: "invalid", codes: [400, 405, 406, 410, 411, 413, 414, 415, 422] },
];

export function classify(refusal: Refusal): ApiErrorKind {
  const code = effectiveCode(refusal);
  const message = classifiable(refusal.serviceMessage ?? "");
  const says = (patterns: readonly RegExp[]) => patterns.every((pattern) => pattern.test(message));
  const row = table.find((row) => row.codes?.includes(code) || row.says?.some(says));
  return row?.kind ?? (code >= 500 ? "unavailable" : "unknown");
}

/**
 * Returns the words of the beginning of a message, which is all that is classified: megabytes would take too long.
 * `ALREADY_BOOKED` and `alreadyBooked` are words, too.
 */
export function classifiable(message: string): string {
  return wordsOf(message.slice(0, 1_000).replaceAll("’", "'"));
}

/** Returns the code that decides: that of the body if it is one of a refusal, else the HTTP status. */
export function effectiveCode({ httpStatus, statusCode }: Refusal): number {
  const code = Number(statusCode);
  if (code === 400 || code === 422) {
    const remedy = remedyOf(table.find(({ codes }) => codes?.includes(httpStatus))?.kind);
    // A status about the account or the load says more than the 400 or 422 of the body.
    if (remedy === "account" || remedy === "retry") return httpStatus;
  }
  if (code >= 400) return code;
  return httpStatus >= 400 || Number.isNaN(code) ? httpStatus : code;
}
