import type { ApiErrorKind } from "../../errors/base.ts";

/*
 * What a refusal may say: a list of what is allowed. A clause that no line accounts for proves nothing, in whatever
 * language it is written. A missing line costs a telephone call, a wrong one a second ticket. So no line speaks of a part
 * of an order (a seat, a meal, the return flight, a flight by its number or date), and no line takes back what another one allows.
 *
 * `<term>` stands for a term, `[…]` is optional, `(… | …)` is one of several, `{0,3}` says how often, from 0 or 1 on. All else is words.
 * `@` is the name of a field that was sent.
 */

/** Codes of HTTP for an error that leaves it open what was done, also with two more digits. A 409 says that something is there already. */
export const openError = String.raw`(?:40[89]|42[345]|499|5\d\d)(?:\d\d)?`;
const openCode = String.raw`(?:[123]\d\d|${openError})`;

/** Words that are patterns. */
const atoms: Readonly<Record<string, string>> = {
  n: String.raw`#?\d{1,6}`,
  http: String.raw`#?(?!${openCode} )4\d\d`,
  errorNo: String.raw`#?(?!${openCode} )\d{1,6}`,
  code: String.raw`(?:e|err?|error|ec|auth|val|code)[- ]?(?!${openCode} )\d{1,6}`,
  money: String.raw`\d[\d,]*(?:\.\d+)?`,
  ip: "[0-9a-f.:]{7,45}",
  host: "[a-z0-9.-]{1,100}",
  // That of a gateway: one without dots may be that of a booking.
  reference: String.raw`#[0-9a-f]{1,20}(?:\.[0-9a-f]{1,20}){2,4}`,
  dateForm: "[ymd]{2,4}[-/][ymd]{2}[-/][ymd]{2,4}",
  server: String.raw`(?:nginx|openresty|apache|cloudflare|awselb|envoy|varnish|kong|tomcat|microsoft-iis)(?:/[\d.]{1,12})?`,
};

/** Parts of the lines. */
export const terms = {
  the: "(the | this | your | a | an | that | any | given | provided | supplied | selected | chosen | requested | following){0,3}",
  /** Of `a flight` or `the following` there may be others. */
  that: "(the | this | your | that | given | provided | supplied | selected | chosen | requested){0,3}",
  is: "[is | are | was | were | has | have | has been | have been | must be | appears to be]",
  bad: "(invalid | malformed | expired | missing | incorrect | unrecogni.ed | no longer valid | not (valid | recogni.ed | active))",
  spoiled: "[either] <bad> [(or | and) [has | is] <bad>]",
  key: "(search | fare | quote | flight | booking | offer | user | session){0,2} (tokens? | sessions? | trace [id] | traceid | sessionid | session id | search id | result index | jwt)",
  keys: "<key> [(or | and) <the> <key>]",
  credential:
    "(client | api | access | bearer | auth | authentication | login | service | partner | user | agency){0,2} (credentials? | client (id | secret) | secret | secret key | api key | apikey | username or password | client id or [client] secret | signature) | (access | bearer | auth | authentication | api) token",
  flight:
    "[booking] (flights? | flight option | fares? | fare quote | prices? | (fare | booking) class) [[you [have]] (selected | requested | chosen | chose)]",
  gone: "(no longer | no more | not | not currently | currently not) (available | valid | bookable | on sale | offered) | unavailable | sold out | soldout | fully booked | expired | departed | withdrawn | closed for sale | not found",
  where:
    "[any more | anymore | any longer | now] [for (sale | booking) | (for | on | in) <that> (flight | fare | request | itinerary)]",
  amount: "[inr | rs.? | usd | eur] <money> [inr | usd | eur]",
  who: "[lead | first | second | third | primary] (passengers? | pax | travell?ers? | adults? | child | children | infants? | guest | customer) [no | number] [<n>] [details?]",
  field:
    "@ | (first | last | middle | given | full | family | f | l){0,1} names? | firstname | lastname | fname | lname | surname | title | salutation | gender | (date | year) of birth | birth date | birthdate | dob | age | e-?mail [id | address] | mail id | (mobile | phone | contact | telephone) [number | no] | address [line [<n>]] | city | country [code | name] | nationality | (pin | postal | zip) code | pincode | (passenger | pax) type | (passenger | pax | traveller | customer | contact) (details? | list | data | count) | (gst | gstin | pan | pan card | passport | visa | document) [number | no | details? | information | company (name | address | mobile | email) | expiry [date] | issue date] | passengers? | pax | travellers? | trace id | traceid | token | amount | currency | ifsc [code] | account (number | no) | beneficiary [name | account [number]] | vpa | upi [id] | consent | [request] (body | payload) | [mandatory | required] (fields? | parameters? | params? | input)",
  subject:
    "<the> [(required | mandatory) (field | parameter | property)] [<who>] <field> [field | value | input | property]",
  of: "[(of | for | in | to | from) <the> (<who> | (all | each | every) passengers? | @ | request [body] | body | payload)]",
  lack: "(invalid | required | mandatory | missing | empty | blank | null | malformed | incorrect | wrong | compulsory | too (long | short | old | young) | not (valid | provided | given | specified | supplied | present | correct) | (in | of) [an | a] (invalid | incorrect | wrong) (format | type) | not in [the | a] (correct | valid | right | proper | expected) format | not allowed to be (empty | blank | null))",
  broken: "<lack> [(or | and) <lack>]",
  purpose:
    "[(for | to | at | before) [book | the time of] (this | the | an? | all | your | every | selected | flight | corporate | international | domestic | airline | special | lead | chosen){0,3} (fares? | fare type | booking | flights? | airline | sector | route | itinerary | passengers? | request | carrier)]",
  modal: "((must | should | has to | have to | needs? to) [not] | (may | can) not | cannot | can't)",
  rule: "(a | an | at | be | have | has | is | least | on | most | more | less | greater | fewer | than | between | and | or | only | exactly | upto | up | to | valid | well-formed | formatted | correct | proper | positive | <n> | <dateForm> | iso | characters? | chars? | letters? | digits? | numbers? | alphabets? | alphabetic | alphabetical | numeric | alphanumeric | special | spaces? | e-?mail | mobile | phone | address | date | name | string | integer | boolean | array | object | type | format | pattern | length | size | long | in | the | of | for | within | before | after | years? | months? | old | age | equal | empty | blank | null | maximum | minimum | max | min | limit | allowed | permitted | future | past | today | current | one | two | following | values? | adults? | child | children | infants? | male | female | m | f | mr | mrs | ms | mstr | any | not | travel | departure | time | code | indian | first | items? | elements?){1,24}",
  access:
    "[(for | to [access | use | call | perform]) (this | the | your){0,1} (account | client | service | api | resource | operation | endpoint | action | product | page | path | #path)] [on this server]",
  request:
    "(flight | air | book | your | the | this){0,3} (booking | reservation | request | book | operation | api | call) [request]",
} as const;

const parts: Readonly<Record<string, string>> = terms;

/** Sentences that say that nothing was done, by the kind of error that they mean. */
export const refusals: Readonly<Partial<Record<ApiErrorKind, readonly string[]>>> = {
  session_expired: [
    "<the> <keys> <is> <spoiled>",
    "<spoiled> <keys>",
    "<the> <keys> [is | was | does] not (found | exist)",
  ],
  trace_mismatch: [
    "<the> <keys> (does not | do not | doesn't | don't) (match | belong to) (with | the | this | that of | a){0,2} [<key> | search | quote | request]",
    "[trace and] <keys> (mis-?match | belong to different searches) | mis-?matched <keys> | mis-?match (in | of | between) <keys>",
  ],
  offer_unavailable: [
    "<that> <flight> <is> [now] <gone> <where>",
    "[no] seats <is> not available on <that> flight | no (more | other){0,1} (seats? | flights? | fares?) [is | are] [available | left | remaining] (on | in | for) <that> (flight | fare | itinerary) | no (flights? | fares?) [is | are] (available | found) [for <that> (flight | itinerary)]",
    "<that> (flight | ticket | total | airline){0,1} (prices? | fares?) [for <that> (flight | itinerary)] <is> (changed | increased | revised | updated) [[from <amount>] to <amount>] [since (the | your | last){0,1} (quote | fare quote | search)]",
  ],
  authentication: [
    "authentication [has | is] (failed | failure | error | required) | [client | user] (not authenticated | unauthenticated)",
    "(unauthori.ed | not authori.ed) [access | request | client | user] | authori.ation (failed | header [is] missing) | access denied due to (invalid | missing) subscription key | no api key found in request",
    "<the> <credential> <is> (<spoiled> | required | not provided | wrong) | (wrong | <spoiled>) <credential>",
    "this server could not verify that you are authorized to access the document requested",
  ],
  permission: [
    "forbidden | (access | permission) [is | was | has been] (denied | forbidden | blocked | restricted) | insufficient (permissions? | privileges | scopes?)",
    "<the> (client | caller | source | server | request){0,1} ip [address] [<ip>] <is> (not | un) (registered | whitelisted | white listed | allowed | allow-?listed | authori.ed | permitted | approved) <access> | ip [address] [<ip>] [is] unregistered",
    "user is not authorized to access this resource [with an explicit deny]",
    "you (are not (allowed | authori.ed | permitted) | (do not | don't) have [the] (permissions? | access | privileges)) <access>",
    "<the> (client | agency | agent | partner | your account | (agent | client | agency | partner) account) <is> (suspended | disabled | inactive | blocked | deactivated | not (active | allowed | authori.ed | permitted | enabled)) <access>",
  ],
  insufficient_balance: [
    "(insufficient | not enough) (agency | agent | wallet | account | credit | available | deposit){0,2} (balance | funds? | credits?) [in (your | the | this){0,1} (agency | agent){0,1} (wallet | account)]",
    "<the> (agency | agent | wallet | account | available | credit){0,2} (balance | funds) <is> (insufficient | too low | not sufficient | not enough) | you (do not | don't) have (sufficient | enough) (balance | funds | credit) [to make this booking] | (credit | wallet) limit [is | has been] exceeded",
  ],
  rate_limited: [
    "too many [concurrent] (requests? | calls | attempts) [from (this | your) (ip | client | account)] | request [was | is] throttled",
    "<the> (api | request){0,1} (rate | request | call | rate-?) (limits? | quotas?) <is> (exceeded | reached) | (quota | limit) exceeded | rate-?limit exceeded | you have exceeded (your | the){0,1} (rate | request){0,1} (limit | quota)",
  ],
  not_found: [
    "cannot post #path | [<http>] <the> (page | path | route | url | resource | endpoint | requested){1,2} [#path] [is | was | could | can] (not [be] found | not available | cannot be found) [on this server]",
    "no route (matched | found | to) [with those values] [for] [post] [#path]",
    "the origin server did not find a current representation for the target resource or is not willing to disclose that one exists",
    "(method | media type | content type) [post | application/json] [is] not (allowed | supported) | unsupported media type | request too long | (payload | request entity | content) too large",
  ],
  invalid: [
    "<subject> <of> <is> <broken> <purpose>",
    "[<who>] <broken> <the> [<who>] <field> [format | value | type | supplied | provided | given | entered | length] <of>",
    "<subject> <of> <modal> (be | have | contain | match | start | end | exceed | include) <rule>",
    "<subject> <of> [is] (exceeds? | exceeded | longer than | shorter than | less than | greater than | not a | does not match | doesn't match | accepts only | allows only) <rule>",
    "[please | kindly] (provide | enter | supply | pass | specify | send) <the> [valid | correct] [<who>] <field> <of> <purpose>",
    "client reference [id] <is> (required | mandatory | missing | not provided | not allowed to be empty) | client reference [id] (must | should | cannot | can) [not] (be | have | exceed | contain) <rule>",
    "an? infants? cannot travel without an adult | infants? cannot travel without an adult | at least one adult [passenger] [is] required",
    "[<http>] the plain http request was sent to https port | your browser sent a request that this server could not understand",
    "(passenger | pax){0,1} count (does not | doesn't) match [with] <the> search [request] | number of (infants | children | adults) cannot (exceed | be more than | be greater than) [the] number of adults | maximum [of] <n> passengers [are | is] allowed [(in | per) (a | one) booking] | (passport | visa) expires? before (departure | travel | journey)",
  ],
};

/** Sentences that say nothing of what was done: names of the failure, requests to call again, marks of gateways. */
export const neutral: readonly string[] = [
  "[sorry] <request> [has | is | was | has been | could] (failed | failure | error | rejected | declined | refused | denied | unsuccessful | not [be] (made | allowed | permitted | possible | accepted | successful | completed | created))",
  "(sorry | we are | we were | we){0,2} (unable to | could not | couldn't | cannot | can't | can not | failed to) [be] (book | booked | create | make | complete) [[the] flight] [<request>]",
  "(the | an? | fatal | api | client){0,1} (errors? | failed | fail | failure | rejected | declined | refused | denied | unsuccessful | sorry) [code | message | description | details? | occurred | type] | [fatal | api | client] errors? [code] <errorNo>",
  "(http | status | error | response){0,2} [code] <http> | [code | error code] <code> | (code | error code) <errorNo>",
  "(http | error | status){0,2} [<http>] (bad request | not found | unauthori.ed | forbidden | not allowed | method not allowed | unprocessable [entity | content] | payment required | authori.ation required | too many requests | (payload | request entity | content) too large | unsupported media type)",
  "(request | input | schema | passenger | data | field){0,1} validation [failed | failure | errors? | exception] [for @] | one or more validation errors occurred | [the] request [is | was] (invalid | not valid | malformed | bad) | invalid (request | input | argument | data)",
  "<field> | <spoiled> | required | body | query | nothing (has been | was) booked | no booking was made",
  "[please | kindly] (re-?try | try | fetch | search | login | log in | re-?quote | quote | authenticate | start | select | book | choose | correct | slow | get | refresh | reduce | pick | provide) (your | the | a | an | again | later | after | some | time | new | another | different | other | flights? | fares? | search | quote | token | session | requests? | details | input | credentials | and | once | more | in | few | moments? | minutes? | seconds? | <n> | from | with | down | for | to | continue | correct | valid | values? | data | confirm){0,8}",
  "[please] contact (customer | our | technical | the | your){0,1} (support | administrator | service desk) [team] | [please] (top up | topup | add funds | recharge) [to] <the> [wallet | account | balance] [and (try again | retry | continue)]",
  "<server> [ubuntu | debian | unix] | [<server>] [ubuntu | debian | unix] server at <host> port <n> | #path | reference <reference> | [please] confirm the new (fare | price) | all rights reserved | type [status report] | message | description | expected available in <n> seconds?",
];

/**
 * A part of a line: returns the places where it may end, for those where it may begin. All ways through a line
 * are followed at once: as one regular expression, the grammar would take a second to compile.
 */
export type Part = (text: string, starts: ReadonlySet<number>) => ReadonlySet<number>;

const lines = new Map<string, Part>();

/** Reads a line when it is needed first, for texts in which a space follows each word. */
export function readLine(line: string): Part {
  const part = lines.get(line) ?? readChoice((line.match(tokens) as string[]).values());
  lines.set(line, part);
  return part;
}

const tokens = /<\w+>|\{[01],\d+\}|[()[\]|]|[^\s()[\]|<{]+/g;

/** Reads up to the end of the line, or of the parentheses that have begun. */
function readChoice(rest: Iterable<string>): Part {
  const sequences: Part[][] = [[]];
  for (const token of rest) {
    if (token === ")" || token === "]") break;
    const sequence = sequences.at(-1) as Part[];
    if (token === "|") sequences.push([]);
    else if (token === "(") sequence.push(readChoice(rest));
    else if (token === "[") sequence.push(repeated(readChoice(rest), 0, 1));
    else if (token.startsWith("{")) {
      const [least = 0, most = 0] = token.slice(1, -1).split(",").map(Number);
      sequence.push(repeated(sequence.pop() as Part, least, most));
    } else sequence.push(partOf(token));
  }
  return (text, starts) => {
    let ends = none;
    for (const parts of sequences) {
      let at = starts;
      for (const part of parts) {
        at = part(text, at);
        if (at.size === 0) break;
      }
      if (at.size > 0) ends = new Set([...ends, ...at]);
    }
    return ends;
  };
}

/** @param least - 0 or 1. */
function repeated(part: Part, least: number, most: number): Part {
  return (text, starts) => {
    const ends = new Set(least === 0 ? starts : []);
    let at = starts;
    for (let times = 0; times < most; times++) {
      at = part(text, at);
      for (const end of at) ends.add(end);
    }
    return ends;
  };
}

function partOf(token: string): Part {
  const name = token.startsWith("<") ? token.slice(1, -1) : "";
  const term = parts[name];
  return term === undefined ? wordOf(atoms[name] ?? token) : readLine(term);
}

const none: ReadonlySet<number> = new Set();

function wordOf(pattern: string): Part {
  const word = new RegExp(`(?:${pattern}) `, "y");
  return (text, starts) => {
    let ends = none;
    for (const start of starts) {
      word.lastIndex = start;
      if (word.test(text)) ends = new Set([...ends, word.lastIndex]);
    }
    return ends;
  };
}
