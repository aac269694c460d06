/** The code that is mutated, the tests that should notice it, and how often they must. */

export interface Part {
  /** Its folder, the folder that it is the rest of, or a folder and what it is of it. */
  readonly name: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Percent of the mutants. */
  readonly atLeast: 85 | 95;
}

/** Left out everywhere: declarations, and suites that are tests themselves. */
const notMutated = [
  "!src/**/types.ts",
  "!src/**/types/*.ts",
  "!src/*/index.ts",
  "!src/ai/entry.ts",
  "!src/**/*suite*.ts",
  "!src/**/schemas.ts",
];

/** @param tests - Files below `test`. @param mutate - Files below `src`; those of the folder by default. */
const part = (
  name: string,
  atLeast: Part["atLeast"],
  tests: readonly string[],
  mutate: readonly string[] = [`${name.slice(4).replace(/:.*/, "")}/*`],
): Part => ({
  name,
  atLeast,
  mutate: [...mutate.map((file) => `src/${file}.ts`), ...notMutated],
  tests: tests.map((file) => `test/${file}.test.ts`),
});

export const parts: readonly Part[] = [
  part("src/webhooks/auth", 95, [
    "webhooks/auth/{basic,custom,freshness,hmac,ip-allow-list,long-headers}",
    "webhooks/receive/{authenticate,headers,nonces,resigned}",
    "webhooks/{sign,options}",
  ]),
  part("src/flights/checkout", 95, [
    "flights/checkout/{attempts,book-all,checkout,fingerprint,in-time,journal-faults,keep-booked,names,next-step,options,requote,resume,shop}",
  ]),
  part(
    "src/webhooks/receive",
    95,
    [
      "webhooks/receive/{authenticate,commits,conflicts,events,handler,headers}",
      "webhooks/receive/{known-work,nonces,process,references,resigned,told,under-way,waiting}",
      "webhooks/receive/read-body",
      "webhooks/auth/{custom,freshness,hmac,ip-allow-list}",
    ],
    ["webhooks/receive/**/*"],
  ),
  part(
    "src/flights/journal",
    95,
    ["flights/journal/{memory,postgres,reconcile}", "flights/checkout/{attempts,journal-faults,keep-booked,resume}"],
    ["flights/journal/!(file*|postgres*)"],
  ),
  part("src/flights/journal/file", 95, ["flights/journal/{file,file-disk}"], ["flights/journal/file*"]),
  part("src/flights/journal/postgres", 95, ["flights/journal/postgres"], ["flights/journal/postgres*"]),
  part(
    "src/webhooks/stores",
    95,
    [
      "webhooks/stores/{memory,options,postgres,redis,serverless}",
      "webhooks/receive/{conflicts,nonces,process,references}",
    ],
    ["webhooks/stores/!(postgres*|redis|transaction)"],
  ),
  part(
    "src/webhooks/stores/postgres",
    95,
    ["webhooks/stores/{failures,options,postgres}"],
    ["webhooks/stores/{postgres*,transaction}"],
  ),
  part("src/webhooks/stores/redis", 95, ["webhooks/stores/{failures,options,redis}"], ["webhooks/stores/redis"]),
  part("src/webhooks", 85, [
    "webhooks/{auth/ip-allow-list,check-acknowledgement,options,sign,stores/{failures,memory}}",
    "webhooks/receive/{authenticate,events,handler,headers,nonces,process,references,told,under-way}",
  ]),
  part("src/webhooks/adapters", 85, ["webhooks/adapters/{examples,in-time,lambda,node}"]),
  part(
    "src/transport: requests",
    85,
    [
      "{client,ai/options,ai/stream/deadlines}",
      "transport/{base-url,call,callbacks,credentials,deadlines,echoed-secrets,exact-ids,headers,hooks}",
      "transport/{log,missing-globals,never-sent,own-schemas,request-id,retry-pause,runtime-fetch}",
      "transport/{secrets,sending,streaming-response}",
    ],
    ["transport/{endpoint,prepare,request}"],
  ),
  part(
    "src/transport: responses",
    85,
    [
      "{ai/stream/order,flights/booking/outcome,flights/drift,flights/echo,flights/responses,issue-limits,operation}",
      "transport/{answers,as-response,call,callbacks,classify,documented-refusals,echo,echoed-secrets}",
      "transport/{exact-ids,foreign-response,hooks,log,missing-globals,own-schemas}",
      "transport/{read-body,redirects,request-id,runtime-fetch,sending,sent-once,streaming-response}",
      "transport/{uncached,unchecked-status,unexpected,unknown-outcome}",
      "{node/response,verification/find-vpas}",
    ],
    ["transport/{echo,fetch,read-*}"],
  ),
  part(
    "src/transport/errors",
    85,
    [
      "{ai/stream/{deadlines,truth},node/exchange,node/proxy,operation,flights/booking/outcome,transport/errors/*}",
      "{transport/unchecked-status,verification/find-vpas}",
      "transport/{answers,call,callbacks,classify,credentials,deadlines,documented-refusals,echo,hooks}",
      "transport/{echoed-secrets,headers,never-sent,own-schemas,redirects,request-id,retries}",
      "transport/{retry-pause,runtime-fetch,secrets,sending,unawaited,uncached,unexpected,unknown-outcome}",
    ],
    ["transport/errors/*", "transport/envelope"],
  ),
  part(
    "src/transport/refusals: clauses",
    95,
    ["flights/booking/corpus", "transport/{documented-refusals,refusals/clauses,unknown-outcome}"],
    ["transport/refusals/{clauses,grammar}"],
  ),
  part("src/transport/refusals: proof", 95, ["transport/refusals/proof"], ["transport/refusals/proof"]),
  part(
    "src/transport: logs",
    85,
    ["ai/stream/{endings,stream}", "transport/{callbacks,echoed-secrets,hooks,log,secrets,unawaited}"],
    ["transport/{log,redact}"],
  ),
  part(
    "src/transport: attempts",
    85,
    [
      "{ai/stream/{deadlines,endings,order,stream,truth,warnings},flights/checkout/in-time,node/exchange}",
      "transport/{answers,as-response,call,callbacks,cancellation,deadlines,foreign-response}",
      "transport/{hooks,log,missing-chunk,missing-globals,never-sent,secrets}",
      "transport/{redirects,request-id,retries,runtime-fetch,sending,streaming-response}",
      "transport/{unawaited,unexpected,unknown-outcome}",
      "verification/many/rate",
    ],
    ["transport/{transport,cancellation}"],
  ),
  part(
    "src/transport",
    85,
    [
      "options",
      "flights/checkout/in-time",
      "transport/{as-response,call,callbacks,hooks,log,missing-chunk,retries,retry-pause}",
      "transport/{runtime-fetch,sending,streaming-response,unawaited,unexpected}",
      "verification/many/{ending,rate}",
    ],
    ["transport/{call,retries,retry-policy}"],
  ),
  part("src/flights", 85, [
    "flights/{errors,booking/outcome,echo,operations,requests,responses,rule-text,wrong-arguments}",
    "flights/checkout/{attempts,journal-faults,requote}",
  ]),
  part("src/flights/booking", 95, ["flights/{booking/{corpus,outcome},echo,responses,wrong-arguments}"]),
  part("src/flights/changes", 85, ["flights/{changes/*,checkout/checkout,checkout/requote,wrong-arguments}"]),
  part("src/flights/fees", 85, ["flights/{fees/*,wrong-arguments}"]),
  part("src/flights/forms", 85, ["flights/forms/forms"]),
  part(
    "src/flights/passengers: who travels",
    85,
    ["flights/{passengers/{ages,codes,index},wrong-arguments}"],
    ["flights/passengers/fields"],
  ),
  part(
    "src/flights/passengers",
    85,
    ["flights/{passengers/{codes,index,passport},requests,wrong-arguments}"],
    ["flights/passengers/!(fields)"],
  ),
  part("src/flights/quote", 85, [
    "flights/{quote/*,changes/index,fees/index,responses,wrong-arguments}",
    "flights/passengers/{ages,index}",
  ]),
  part(
    "src/ai",
    85,
    [
      "ai/{options,requests,relay/relay-turn}",
      "ai/{conversation,text}/*",
      "ai/stream/{stream,stream-session,truth}",
      "shared/schema",
    ],
    ["ai/!(framing)", "ai/{conversation,text}/*"],
  ),
  part("src/ai/framing", 85, ["ai/framing", "ai/stream/{stream,truth,warnings}"], ["ai/framing"]),
  part("src/ai/relay", 85, ["ai/relay/{relay,read-relay,relay-turn}", "ai/ui-messages/*"]),
  part("src/ai/ui-messages", 85, ["ai/ui-messages/*"]),
  part(
    "src/ai/stream: bytes and events",
    85,
    // Not `loading`, here and below: what it loads again would count as covered by it alone.
    ["ai/stream/{deadlines,open-stream,stream-session,stream,truth,warnings}", "ai/framing"],
    ["ai/stream/open-stream"],
  ),
  part(
    "src/ai/stream",
    85,
    [
      "ai/stream/{deadlines,endings,order,stream-session,stream,truth,warnings}",
      "ai/{relay/relay,requests,ui-messages/stream}",
      "transport/request-id",
      "ai/conversation/*",
    ],
    ["ai/stream/!(open-stream)"],
  ),
];
