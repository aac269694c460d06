import type { Passage } from "./prose.ts";

/** A word or phrase that this project does not use, and the usual one. */
export interface Unwanted {
  readonly pattern: RegExp;
  readonly instead: string;
  /** The passages that it is looked for in; all of them by default. */
  readonly kinds?: readonly Passage["kind"][];
  /** Sentences that it is found in, and similar ones that it is not found in. */
  readonly found: readonly string[];
  readonly notFound: readonly string[];
}

/** The words of the house: one word for one thing, and no phrase that reads as if it had been translated. */
export const unwanted: readonly Unwanted[] = [
  // One word for one thing.
  {
    pattern: /\banswers?\b/i,
    instead: "response (the noun); responds (the verb)",
    found: ["The answer is not JSON.", "It answers within 5 s."],
    notFound: ["The response is not JSON.", "The row has responseDueBy."],
  },
  {
    pattern: /\banswer(?:ed|ing)\b/i,
    instead: "responded to, acknowledged",
    found: ["It is answered FAILED."],
    notFound: ["It is acknowledged FAILED."],
  },
  {
    pattern: /\b(?:base|callback|web|webhook|redirect) address(?:es)?\b/i,
    instead: "URL",
    found: ["A base address that is not https."],
    notFound: ["An IP address that is not registered.", "The postal address of a passenger."],
  },
  {
    pattern:
      /\b(?:an?|any|another|no|empty|required) texts?\b(?! (?:chunk|column|delta|field|file|format|part|stream)s?\b)/i,
    instead: "string (a value), or the name of what a person reads",
    found: ["It must be a text.", "An empty text means not applicable."],
    notFound: ["It must be a string.", "Returns the text of the rule.", "It is a text stream."],
  },
  {
    pattern:
      /\b(?:is|are|was|were|be|been|being|not) repeated\b|\brepeated (?:by|only)\b|\brepeats? (?:a|it|the|that|this)\b/i,
    instead: "retried (a call), redelivered (a webhook)",
    found: ["A look-up is repeated twice.", "Look before you repeat it."],
    notFound: ["A look-up is retried twice.", "Calls that are safe to repeat are retried."],
  },
  {
    pattern: /\bdelivered (?:again|once more)\b/i,
    instead: "redelivered",
    found: ["It is delivered again after 30 s."],
    notFound: ["It is redelivered after 30 s."],
  },
  {
    pattern: /\bwords? for programs\b/i,
    instead: "machine-readable code",
    found: ["A word for programs."],
    notFound: ["A machine-readable code.", "A program for words."],
  },
  {
    pattern: /\broads?\b/,
    instead: "lifecycle, pipeline",
    found: ["The road of a request."],
    notFound: ["The lifecycle of a request.", "1 Placeholder Road"],
  },
  {
    pattern: /\b(?:he|him|his|himself)\b/i,
    instead: "they, it, the caller",
    found: ["A caller who takes his time.", "It stops when he leaves."],
    notFound: ["A caller who takes their time.", "The history."],
  },
  {
    pattern: /\bspare (?:one|port)\b/i,
    instead: "free port",
    found: ["0 for a spare port"],
    notFound: ["0 picks a free port"],
  },
  // Hooks are called.
  {
    pattern: /\b(?:tells?|told|telling) of\b/i,
    instead: "is called for, reports",
    found: ["onEvent is told of each retry.", "It tells of it."],
    notFound: ["onEvent is called for each retry.", "It reports it."],
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) told\b(?! apart)/i,
    instead: "is called, is reported, is signalled",
    found: ["A hook is told why.", "The work is told to stop."],
    notFound: ["A hook is called with the reason.", "They can be told apart."],
  },
  {
    pattern: /\b(?:is|are|was|were) said\b/i,
    instead: "is stated, is reported",
    found: ["Its outcome is said."],
    notFound: ["Its outcome is stated."],
  },
  // Conditions.
  {
    pattern: /(?:^|[.;:!?] )Where (?!to\b)[^,.?]*, /,
    instead: "If, When",
    found: ["Where it is left out, the default counts.", "It ends. Where a body is missing, it waits."],
    notFound: ["If it is omitted, the default counts.", "Where a new thing goes", "Where to look: here, first."],
  },
  {
    pattern: /\b(?:also|but|even|except|only|save|unless) where\b/i,
    instead: "only if, except when",
    found: ["It is retried only where that is safe."],
    notFound: ["It is retried only if that is safe.", "It shows where that happened."],
  },
  {
    pattern:
      /(?<!\b(?:from|knows?|look|place|says?|see|shows?|tells?) )\bwhere (?:nothing|none|nobody|there (?:is|are|was|were) (?:no|none)|(?:it|that|this|one) (?:is|was|does|has)|the (?:caller|document|request|schema|service|store) (?:itself )?(?:is|does|has|says|gives|names))\b/i,
    instead: "if, when",
    found: [
      "`custom` where the schema names none.",
      "Undefined where there is none.",
      "The default where it is missing.",
    ],
    notFound: ["`custom` if the schema provides none.", "It says where the request is wrong.", "It knows where to go."],
  },
  {
    pattern: /\bfor (?:none|never)\b/i,
    instead: "`false` disables it",
    found: ["Milliseconds, or false for none."],
    notFound: ["Milliseconds, or false to disable it.", "It is for one of them."],
  },
  // Invalid, unknown, missing.
  {
    pattern: /\b(?:which|that|it|they|this|who) (?:is|are|was|were) none\b(?! of\b)|\bsuch as none\b/i,
    instead: "is invalid, is not a …",
    found: ["It has a host name that is none."],
    notFound: ["It has an invalid host name.", "There is none.", "It is none of them."],
  },
  {
    pattern:
      /(?<!\bthere (?:may |might |must |will )?)\b(?:is|are|was|were|be) no (?!(?:better|different|earlier|fewer|larger|later|less|longer|more|newer|older|shorter|smaller|worse|doubt|need|surprise)\b)\w/i,
    instead: "is not a …, is an invalid …",
    found: ["The value is no number.", "`now` is no time that can be read."],
    notFound: ["The value is not a number.", "There is no number.", "There may be no seat.", "It is no longer read."],
  },
  {
    pattern: /\bno such\b/i,
    instead: "unknown, does not exist",
    kinds: ["message", "guide"],
    found: ["There is no such option."],
    notFound: ["The option is unknown."],
  },
  {
    pattern: /\bsa(?:ys?|id) no\b(?! \w+ (?:is|was)\b)/i,
    instead: "refuses, rejects",
    found: ["The service said no."],
    notFound: ["The service refused the request."],
  },
  // Beginnings of doc comments.
  {
    pattern: /^What\b(?!.*\?$)/,
    instead: "a noun phrase (a type), the third person (a function)",
    kinds: ["comment"],
    found: ["What a call returns.", "What is left."],
    notFound: ["Result of a call.", "Returns what is left."],
  },
  {
    pattern: /^Where\b(?!.*\?$)/,
    instead: "a noun phrase: Place of …, Field that …",
    kinds: ["comment"],
    found: ["Where a segment ends."],
    notFound: ["End of a segment.", "Says where a segment ends."],
  },
  {
    pattern: /^How\b(?!.*\?$)/,
    instead: "a noun phrase: Number of …, Time until …, Format of …",
    kinds: ["comment"],
    found: ["How long there is still time.", "How often a call is retried."],
    notFound: ["Time left until the deadline.", "Maximum number of retries."],
  },
  {
    pattern: /^Gives\b(?! (?:up|way)\b)|\band gives (?:an?|back|the|what)\b/i,
    instead: "Returns",
    found: ["Gives the fee.", "It takes a request and gives a response."],
    notFound: ["Returns the fee.", "It takes a request and returns a response.", "Gives up after 30 s."],
  },
  {
    pattern: /^(?:One that|That which|Such)\b/,
    instead: "a noun phrase that names it",
    kinds: ["comment"],
    found: ["One that is left closes the connection."],
    notFound: ["An iterator that is left closes the connection."],
  },
  // Phrases that were translated.
  {
    pattern: /\bin as many words\b/i,
    instead: "explicitly",
    found: ["Say it in as many words."],
    notFound: ["Say it explicitly.", "Twice as many words."],
  },
  {
    pattern: /\b(?:lets?|letting) go of\b/i,
    instead: "closes, releases",
    found: ["It lets go of the connection."],
    notFound: ["It closes the connection."],
  },
  {
    pattern: /\bfor ever\b/i,
    instead: "indefinitely, or a bound",
    found: ["It waits for ever."],
    notFound: ["It waits indefinitely.", "For every call."],
  },
  {
    pattern: /\bof (?:its|their) own\b/i,
    instead: "separate, its own …",
    found: ["Each has a row of its own."],
    notFound: ["Each has its own row.", "A store of your own."],
  },
  {
    pattern: /\bof ours\b/i,
    instead: "our …",
    found: ["It is an error of ours."],
    notFound: ["It is our error."],
  },
  {
    pattern: /\bby (?:itself|themselves)\b/i,
    instead: "automatically, separately",
    found: ["It is retried by itself."],
    notFound: ["It is retried automatically.", "The call itself."],
  },
  {
    pattern: /\bstands? (?:as|at|before|beside|in|on|there|under)\b(?! (?:for|(?:the|its) way)\b)/i,
    instead: "is in, is at",
    found: ["It stands in a header."],
    notFound: ["It is in a header.", "It stands in for the service.", "A row stands in the way."],
  },
  {
    pattern: /\bbesides\b/i,
    instead: "in addition to, other than",
    found: ["What is called besides the events."],
    notFound: ["The hooks that are called in addition to the events."],
  },
  {
    pattern: /\bas (?:it|they) (?:came|comes?)\b|\bwhat came\b/i,
    instead: "unchanged, as received",
    found: ["The body as it came.", "It is what came."],
    notFound: ["The body as received.", "What comes next."],
  },
  {
    pattern: /\b(?:be)?(?:came|comes?) of\b/i,
    instead: "the outcome of, the result of",
    found: ["It says what became of the call."],
    notFound: ["It states the outcome of the call."],
  },
  {
    pattern: /\b(?:does|do|did) no harm\b|\bharms? nobody\b|\bdo harm\b/i,
    instead: "is safe",
    found: ["Calls that do no harm.", "Where it cannot do harm."],
    notFound: ["Calls that are safe to repeat."],
  },
  {
    pattern: /\b(?:anew|hereby|herein|lest|thereby|therein|thereof|whatsoever|wherein|whereof)\b/i,
    instead: "again, so that … not, or a sentence without it",
    found: ["It is asked for anew.", "A comment is sent lest a proxy gives up."],
    notFound: ["It is requested again.", "A new one is sent."],
  },
  {
    pattern: /\bbut for\b/i,
    instead: "except for",
    found: ["All of them but for two."],
    notFound: ["All of them except for two."],
  },
  {
    pattern: /\bat sight\b/i,
    instead: "immediately",
    found: ["0 is taken for the start at sight."],
    notFound: ["0 immediately counts as the start."],
  },
  {
    pattern: /\bheed(?:s|ed|ing)?\b/i,
    instead: "honour, respect",
    found: ["Retry-After is heeded."],
    notFound: ["Retry-After is honoured."],
  },
  {
    pattern: /\bcontent with\b/i,
    instead: "accepts",
    found: ["If it is not content with the response."],
    notFound: ["If it does not accept the response.", "The content of the response."],
  },
  {
    pattern: /\bso many\b/i,
    instead: "that many, this number of",
    found: ["It sends so many bytes."],
    notFound: ["It sends that many bytes."],
  },
  {
    pattern: /\bmust be milliseconds\b/i,
    instead: "must be a number of milliseconds",
    found: ["`timeout` must be milliseconds from 0 on."],
    notFound: ["`timeout` must be a number of milliseconds between 0 and 5000."],
  },
];
