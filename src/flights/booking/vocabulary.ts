import { offerGone } from "../../transport/classify.ts";

/*
 * The words of responses to `book`, in English and, as some suppliers write them, in German, French and Spanish. Those
 * that keep a refusal from counting as one are generous: a word too many costs a telephone call, a word too few a second
 * ticket. Every pattern takes linear time.
 */

const anyOf = (...patterns: readonly string[]) => new RegExp(patterns.join("|"), "i");

const negative = "fail|error|reject|cancel|declin|den(y|ied)|\\bvoid";
const timedOut = "time[ _-]?[ds]?[ _-]?out";

/** A status that denies the booking beside it. */
export const denyingStatus = anyOf(
  negative,
  timedOut,
  "not|\\bno\\b|(^|[^a-z])un|refus|expire|partial|invalid|abort|revers",
  // It may come yet.
  "pend|process|progress|queue|wait|initiat|request|submit|receiv|review",
  // Statuses of segments: cancelled, unable to confirm.
  "^(hx|uc|us|xx)$",
);

/** A message that denies the booking beside it, if no status calls it a success. */
export const denyingMessage = anyOf(
  negative,
  timedOut,
  "pending|progress|unable|could ?n[o']t|unconfirmed|\\bnot (been )?(confirm|book|creat|generat|complet|success)",
);

const theBooking = "((the|this|your|flight|air) ){0,3}(booking|reservation)";

/** A message of a success that denies the booking itself, and not only a seat or a meal. */
export const bookingFailed = new RegExp(
  `^(sorry[,.!]? )?(${[
    `${theBooking} ((has|is|was) )?(been )?(failed|rejected|declined|cancel+ed|denied|not (made|created|confirmed|successful))`,
    `${theBooking} (could ?n[o']t|can ?not) be (made|created|completed|confirmed|processed)`,
    `((we|were|are) ){0,2}(unable|failed) to (book|create|make|complete|confirm|process) ${theBooking}`,
  ].join("|")})`,
  "im",
);

/** A plain refusal that uses words of {@link underWay} or {@link broken}: "flight unavailable", "fully booked". */
export const plainRefusal = new RegExp(
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

/** Something may have been done, or may be there already. */
export const underWay = anyOf(
  // It is being done.
  "process(?!able)|pending|progress|await|queue|wait[ -]?list|please wait|on[ -]?hold|\\b(hold|holds|held|holding)\\b|partial|initiated",
  "\\brunning\\b|\\bworking on\\b|\\brequest (was |has been |is )?(received|accepted)\\b|\\b(re)?submitted\\b|resubmit",
  "\\bwill (be (notified|informed|e-?mailed|mailed)|receive)\\b",
  // The booking, by its names and parts.
  "\\b(re)?book|buchung|gebucht|(?<!rights )reserv|\\bpnrs?\\b|locator|\\br(ec)?loc\\b|\\bconf( no|#)|itinerar|(?<!round[ -])\\btrips?\\b|\\borders?\\b(?! to\\b)",
  "ticket|\\bissu(ed|ing|ance)\\b|confirm(ed|ing|ation|s|ad|ee)|\\b(to|not|cannot|can't) (be )?confirm|besta?e?tig|\\bstatus\\b",
  // It was done.
  "\\bsuccess|succeed|\\bcomplet(ed|ion)\\b|\\baccepted\\b|(?<!not )\\bapproved\\b|\\b(consumed|acknowledged)\\b",
  "\\b(done|made|created|generated|assigned|secured|applied|went through|ok(ay)?|hk)\\b|\\b(saved|stored|recorded)\\b|\\bcommit",
  "\\b(sell|sold)\\b|\\bend ?trans|\\bpost creation\\b|\\b\\d of \\d\\b|\\btime ?limit\\b",
  "\\b(sent|forwarded|passed|transmitted) to (the )?(airline|carrier)\\b",
  "\\b(unable to|failed to|can ?not|can't|could ?n[o']t) (be )?(send|sent|deliver(ed)?|e?-?mail(ed)?|notify|notified)\\b",
  // It was paid for.
  "purchas|\\b(captured|charged|debited|deducted|paid|billed|collected|lien)\\b|\\b(debit|deduction) of\\b|\\bpay (now|later|before|by)\\b",
  "\\b(seats?|amount|funds|balance|money) ((is|are|was|were|has been|have been) )?blocked\\b|\\bpayment (is |was |has been )?authori[sz]ed\\b",
  // It was undone.
  "\\brefund(s|ed|ing)?\\b|\\breleased\\b|\\bauto[ -]?cancel|\\bcancell?ation (failed|was|has)\\b|\\broll(ed|ing)?[ -]?back\\b|\\bvoid(ed|ing)?\\b",
  // It is there already, or another call is at work on it.
  "\\balready\\b|duplicat|(?<!n[o']t )\\bexist|\\b(unique|identical|similar|twice|re-?used?|repeated|in use)\\b|\\b(been|was) (seen|used)\\b",
  "\\bsame (passenger|traveller|pax|flight|criteria|request)|\\b(token|quote) (is |was |has been )?used\\b|\\b(only|most|than) once\\b",
  "idempot|\\breplay|(?<!many )\\bconcurrent|\\bmultiple requests|\\banother (request|call|transaction|process|user)\\b",
  "\\b(token|request|resource|offer) is locked\\b|\\block could\\b|\\bconflict",
  '\\bclient ?reference(?!( ?id)?"? (is (required|mandatory|missing|not allowed to be empty) *([.,;!\\n]|$)|((must|should) be|length must be) (at most|less than or equal to) \\d))',
);

/** Something broke, so it is not known what was done before. */
export const broken = anyOf(
  timedOut,
  "\\binternal\\b|system|server|unavailable|service (is )?not|\\bdown\\b|\\bbusy\\b|crash|abort|interrupt",
  "supplier|vendor|provider|\\bgds\\b|amadeus|sabre|galileo|navitaire|travelport",
  "respon[ds]|network|gateway|\\bhost\\b|connection|connectivity|\\bconnect\\b|socket|\\breset\\b|unreachable|\\blost\\b",
  "technical|exception|unexpected|unknown|something|\\bfault\\b|went wrong|not known|database|\\bstack\\b",
  "\\b(while|during)\\b|error (has )?occurr|\\b(airline|carrier)('s)? (end|side|error|session)\\b",
);

/** A request that is to be sent again, or looked at by a person, was not wrong. */
export const askedAgain = anyOf(
  "\\btry(ing)? (it )?(again|later)|re-?try|\\bsome ?time\\b|\\blater\\b",
  "manual|intervention|contact (us|support|the|our|customer|airline|help)|\\b(at|by|from|with) (the )?(airline|carrier)\\b",
);

/** The rule that a request breaks. */
export const constraint = anyOf(
  "\\b(invalid|not valid|required|mandatory|missing|format|malformed|incorrect|mismatch|empty|blank|unprocessable|bad request)\\b",
  "\\b(must|should|can ?not|can't) (not )?(be|have|contain|match|start|end|travel|include|exceed)\\b|\\bexpire[ds]?\\b|\\bexceed",
  "\\bnot (allowed|permitted|accepted|supported)\\b|\\b(do|does)( not|n't) match\\b|\\btoo (long|short|many|few)\\b",
  "\\b(maximum|minimum|at least|at most|more than|less than)\\b",
);

/** A field of the request. */
export const namedField = new RegExp(
  `\\b(${[
    "client ?reference|consent|fare|passengers?|pax|travell?ers?|adults?|child(ren)?|infants?",
    "title|gender|dob|birth|ages?|(first|last|sur|f|l)?[_ ]?names?",
    "e-?mail|mobile|phone|address|city|country|nationality|pin ?code",
    "gst(in)?|passports?|pan|documents?|visa|dates?|seats?|baggage|meals?|ssr",
    "fields?|param(eter)?s?|input|request|payload|body",
  ].join("|")})\\b`,
  "i",
);
