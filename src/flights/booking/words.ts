import type { OperationResponse } from "../../operation.ts";
import { isList, trimmedScalar } from "../../shared/json.ts";
import { offerGone } from "../../transport/classify.ts";
import { readStrings } from "./strings.ts";

/**
 * Conclusions from the words of a refused booking. Both lists are generous: a word too many costs a telephone call, a
 * word too few a second ticket. Every pattern takes linear time.
 */
export interface BookingWords {
  /** Something was done, or is being done. */
  readonly isUnderWay: boolean;
  /** Something broke, so it is not known what was done before. */
  readonly isBroken: boolean;
  /** It names what is wrong with the request: a field, and the rule that it breaks. */
  readonly namesFault: boolean;
  /** It says nothing: no body, or a status and a code alone. */
  readonly isSilent: boolean;
}

/** Reads the words of a response to `book`. */
export function readWords(response: OperationResponse): BookingWords {
  const { messages, others, isWhole, isDone } = readStrings(response);
  // What was not read may say so.
  if (isDone || !isWhole) return { isUnderWay: true, isBroken: false, namesFault: false, isSilent: false };
  // "Flight unavailable" and "fully booked" are plain refusals, and their words say nothing else.
  const said = [...messages].map(separateWords).join("\n").replaceAll(plainRefusal, " ");
  const rest = `${said}\n${[...others].map(separateWords).join("\n").replaceAll(plainRefusal, " ")}`;
  const isBroken = broken.test(rest);
  return {
    isUnderWay: underWay.test(rest),
    isBroken,
    namesFault: !isBroken && !askedAgain.test(rest) && constraint.test(said) && namedField.test(said),
    isSilent: isSilent(response),
  };
}

/**
 * Separates the words of codes (`ALREADY_BOOKED`, `pnrCreated`), and removes accents (`réservé`) and paths: that of the
 * call contains `book`.
 */
function separateWords(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]/g, "")
    .replaceAll(/(^|[\s"'(:=])\/[\w.~%/-]+/g, "$1 ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ");
}

const plainRefusal = new RegExp(
  [
    `(${offerGone.source})( for booking(?= *([.,;!"\\n]|$)))?`,
    "\\bbooking (session|token)( is| was| has)?( been)? (expired|invalid|not valid|no longer valid)\\b",
    "\\b(invalid|expired) booking (session|token)\\b",
    // "PAN is mandatory for this booking": a detail that it lacks, and not "Payment is required for this booking".
    "(?<=\\b(pan|passport|gst(in)?|visa|nationality|dob|e-?mail|mobile)( (number|no|card|details?|id))? (is |are )?(required|mandatory) )" +
      "(for|to|before|at) (the time of )?(this |the |an? )?(flight |fare |international |domestic |corporate ){0,2}" +
      'book(ing)?( this (fare|flight))?(?= *([.,;!"\\n]|$))',
    // Pages of Apache, Tomcat and frameworks for an address that is missing, or that asks for credentials.
    "\\b(not (be )?found|permission to access *\\S{0,200}) on (this|the) server\\b|\\bserver at \\S{1,200} port \\d+|\\bHTTP status \\d+|\\bstatus report\\b",
    "\\bthis server could not (understand|verify that you are authorized)\\b|\\broute \\S{0,200}flight/book could not be found\\b",
    "\\bserver did not find a current representation for the target resource or is not willing to disclose that one exists\\b",
    "\\b(booking|reservation)( is| was| has)?( been)? (failed|declined|rejected|refused|not (made|allowed|permitted|possible))\\b",
    "\\b(unable to|could ?n[o']t|can ?not|can't) (be )?book(ed)?\\b",
    "\\bplease (re-?)?(book|search|select|quote|try)( \\w+)? again\\b",
  ].join("|"),
  "gi",
);

/**
 * Anything that may have been done, or may be there already, also in German, French and Spanish, as some suppliers word
 * it. Words of this kind in a plain refusal are left out.
 */
const underWay = new RegExp(
  [
    "process(?!able)|pending|progress|await|queue|wait[ -]?list|please wait|on[ -]?hold|\\b(hold|holds|held|holding)\\b|partial|initiated",
    "\\b(re)?book|buchung|gebucht|(?<!rights )reserv|\\bpnrs?\\b|locator|itinerar|(?<!round[ -])\\btrips?\\b|\\borders?\\b(?! to\\b)",
    "ticket|\\bissu(ed|ing|ance)\\b|purchas|\\b(re)?submitted\\b|resubmit|\\bsuccess|succeed|\\bcomplet(ed|ion)\\b|\\baccepted\\b",
    "\\b(done|made|created|generated|assigned|secured|applied|captured|charged|debited|deducted|paid|went through|ok(ay)?|hk)\\b",
    "\\b(seats?|amount|funds|balance|money) ((is|are|was|were|has been|have been) )?blocked\\b",
    "confirm(ed|ing|ation|s|ad|ee)|\\b(to|not|cannot|can't) (be )?confirm|besta?e?tig|\\bstatus\\b",
    "\\brequest (was |has been |is )?(received|accepted)\\b",
    "\\balready\\b|duplicat|(?<!n[o']t )\\bexist|\\b(unique|identical|similar|twice|re-?used?|repeated|in use)\\b|\\bclient ?reference" +
      '(?!( ?id)?"? (is (required|mandatory|missing|not allowed to be empty) *([.,;!\\n]|$)|((must|should) be|length must be) (at most|less than or equal to) \\d))',
    "\\bsame (passenger|traveller|pax|flight|criteria|request)",
    // Another call is at work on it, or was.
    "idempot|\\breplay|(?<!many )\\bconcurrent|\\bmultiple requests|\\banother (request|call|transaction|process|user)\\b",
    "\\brunning\\b|\\bworking on\\b|\\b(token|request|resource|offer) is locked\\b|\\block could\\b|\\bconflict",
    "\\b(been|was) (seen|used)\\b|\\b(token|quote) (is |was |has been )?used\\b|\\b(consumed|acknowledged)\\b|\\b(only|most|than) once\\b",
    // It was sold, paid, undone, or told to somebody.
    "\\b(sell|sold|saved|stored|recorded)\\b|\\bcommit|\\bend ?trans|\\br(ec)?loc\\b|\\bconf( no|#)|\\bpost creation\\b|\\b\\d of \\d\\b",
    "\\brefund(s|ed|ing)?\\b|\\b(billed|collected|lien)\\b|\\b(debit|deduction) of\\b|\\bpayment (is |was |has been )?authori[sz]ed\\b",
    "(?<!not )\\bapproved\\b|\\btime ?limit\\b|\\bpay (now|later|before|by)\\b|\\breleased\\b|\\bauto[ -]?cancel|\\bcancell?ation (failed|was|has)\\b",
    "\\broll(ed|ing)?[ -]?back\\b|\\bvoid(ed|ing)?\\b|\\b(sent|forwarded|passed|transmitted) to (the )?(airline|carrier)\\b",
    "\\b(unable to|failed to|can ?not|can't|could ?n[o']t) (be )?(send|sent|deliver(ed)?|e?-?mail(ed)?|notify|notified)\\b",
    "\\bwill (be (notified|informed|e-?mailed|mailed)|receive)\\b",
  ].join("|"),
  "i",
);

const broken = new RegExp(
  [
    "time[ds]?[ -]?out|\\binternal\\b|system|server|unavailable|service (is )?not|\\bdown\\b|\\bbusy\\b|crash|abort|interrupt",
    "supplier|vendor|provider|\\bgds\\b|amadeus|sabre|galileo|navitaire|travelport",
    "respon[ds]|network|gateway|\\bhost\\b|connection|connectivity|\\bconnect\\b|socket|\\breset\\b|unreachable|\\blost\\b",
    "technical|exception|unexpected|unknown|something|\\bfault\\b|went wrong|not known|database|\\bstack\\b",
    "\\b(while|during)\\b|error (has )?occurr|\\b(airline|carrier)('s)? (end|side|error|session)\\b",
  ].join("|"),
  "i",
);

/** A request that is to be sent again, or looked at by a person, was not wrong. */
const askedAgain =
  /\btry(ing)? (it )?(again|later)|re-?try|\bsome ?time\b|\blater\b|manual|intervention|contact (us|support|the|our|customer|airline|help)|\b(at|by|from|with) (the )?(airline|carrier)\b/i;

const constraint = new RegExp(
  [
    "\\b(invalid|not valid|required|mandatory|missing|format|malformed|incorrect|mismatch|empty|blank|unprocessable|bad request)\\b",
    "\\b(must|should|can ?not|can't) (not )?(be|have|contain|match|start|end|travel|include|exceed)\\b|\\bexpire[ds]?\\b|\\bexceed",
    "\\bnot (allowed|permitted|accepted|supported)\\b|\\b(do|does)( not|n't) match\\b|\\btoo (long|short|many|few)\\b",
    "\\b(maximum|minimum|at least|at most|more than|less than)\\b",
  ].join("|"),
  "i",
);

const namedField =
  /\b(client ?reference|gst(in)?|passports?|pan|dob|birth|ages?|(first|last|sur|f|l)?[_ ]?names?|title|gender|e-?mail|mobile|phone|address|city|country|nationality|pin ?code|passengers?|pax|travell?ers?|adults?|child(ren)?|infants?|seats?|baggage|meals?|ssr|documents?|visa|dates?|fields?|param(eter)?s?|input|request|payload|body|consent|fare)\b/i;

/** Returns true if the body has at most the status and the code of a refusal. */
function isSilent({ body }: OperationResponse): boolean {
  const isEmpty = (value: unknown) => value === null || value === "";
  if (typeof body === "string") return body.trim() === "";
  if (isList(body)) return body.every(isEmpty);
  if (typeof body === "number" || typeof body === "boolean") return false;
  return Object.entries(Object(body)).every(
    ([key, value]) => isEmpty(value) || (/^status(_?code)?$/i.test(key) && isPlainFailure(trimmedScalar(value))),
  );
}

function isPlainFailure(status: string): boolean {
  return Number(status) >= 400 || /^(fail(ed|ure)?|error|rejected)$/i.test(status);
}
