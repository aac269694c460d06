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
  "!src/flights/forms/index.ts",
  "!src/**/*suite*.ts",
  "!src/**/schemas.ts",
];

const part = (name: string, atLeast: Part["atLeast"], mutate: readonly string[], tests: readonly string[]): Part => ({
  name,
  atLeast,
  mutate: [...mutate, ...notMutated],
  tests,
});

export const parts: readonly Part[] = [
  part(
    "src/webhooks/auth",
    95,
    ["src/webhooks/auth/*.ts"],
    [
      "test/webhooks/auth/{basic,custom,freshness,hmac,ip-allow-list,long-headers}.test.ts",
      "test/webhooks/receive/{authenticate,headers,nonces,resigned}.test.ts",
      "test/webhooks/{sign,options}.test.ts",
    ],
  ),
  part(
    "src/flights/checkout",
    95,
    ["src/flights/checkout/*.ts"],
    [
      "test/flights/checkout/{attempts,book-all,checkout,fingerprint,in-time,journal-faults,names,next-step,options,requote,resume,shop}.test.ts",
    ],
  ),
  part(
    "src/webhooks/receive",
    95,
    ["src/webhooks/receive/**/*.ts"],
    [
      "test/webhooks/receive/{authenticate,commits,conflicts,events,handler,headers}.test.ts",
      "test/webhooks/receive/{known-work,nonces,process,references,resigned,told,under-way,waiting}.test.ts",
      "test/webhooks/receive/read-body.test.ts",
      "test/webhooks/auth/{custom,hmac,ip-allow-list}.test.ts",
    ],
  ),
  part(
    "src/flights/journal",
    95,
    ["src/flights/journal/!(file*|postgres*).ts"],
    [
      "test/flights/journal/{adopt,memory,postgres,reconcile,within-time}.test.ts",
      "test/flights/checkout/{attempts,journal-faults,resume}.test.ts",
    ],
  ),
  part(
    "src/flights/journal/file",
    95,
    ["src/flights/journal/file*.ts"],
    ["test/flights/journal/{file,file-disk}.test.ts"],
  ),
  part(
    "src/flights/journal/postgres",
    95,
    ["src/flights/journal/postgres*.ts"],
    ["test/flights/journal/postgres.test.ts"],
  ),
  part(
    "src/webhooks/stores",
    95,
    ["src/webhooks/stores/!(postgres*|redis*|store-failure).ts"],
    [
      "test/webhooks/stores/{memory,options,redis,serverless}.test.ts",
      "test/webhooks/receive/{process,references}.test.ts",
    ],
  ),
  part(
    "src/webhooks/stores/postgres",
    95,
    ["src/webhooks/stores/postgres*.ts"],
    ["test/webhooks/stores/{failures,options,postgres}.test.ts"],
  ),
  part(
    "src/webhooks/stores/redis",
    95,
    ["src/webhooks/stores/{redis*,store-failure}.ts"],
    ["test/webhooks/stores/{failures,options,redis}.test.ts"],
  ),
  part(
    "src/webhooks",
    85,
    ["src/webhooks/*.ts"],
    [
      "test/webhooks/{auth/ip-allow-list,check-acknowledgement,options,sign,stores/memory}.test.ts",
      "test/webhooks/receive/{events,handler,nonces,process,references,told}.test.ts",
    ],
  ),
  part(
    "src/webhooks/adapters",
    85,
    ["src/webhooks/adapters/*.ts"],
    ["test/webhooks/adapters/{examples,lambda,node}.test.ts"],
  ),
  part(
    "src/transport: requests",
    85,
    ["src/transport/{endpoint,prepare,request}.ts"],
    [
      "test/{client,ai/options,ai/stream/deadlines}.test.ts",
      "test/transport/{base-url,call,callbacks,credentials,deadlines,echoed-secrets,exact-ids,headers,hooks}.test.ts",
      "test/transport/{log,missing-globals,never-sent,own-schemas,request-id,retry-pause,runtime-fetch}.test.ts",
      "test/transport/{secrets,sending,streaming-response}.test.ts",
    ],
  ),
  part(
    "src/transport: responses",
    85,
    ["src/transport/{echo,fetch,read-*}.ts"],
    [
      "test/{flights/booking/outcome,flights/drift,flights/echo,flights/responses,operation}.test.ts",
      "test/transport/{answers,as-response,call,callbacks,classify,documented-refusals,echo,echoed-secrets}.test.ts",
      "test/transport/{envelope,exact-ids,foreign-response,hooks,log,missing-globals,own-schemas}.test.ts",
      "test/transport/{read-body,redirects,request-id,runtime-fetch,sending,sent-once,streaming-response}.test.ts",
      "test/transport/{uncached,unchecked-status,unexpected,unknown-outcome}.test.ts",
      "test/verification/find-vpas.test.ts",
    ],
  ),
  part(
    "src/transport/errors",
    85,
    ["src/transport/errors/*.ts", "src/transport/classify.ts"],
    [
      "test/{ai/stream/deadlines,operation,flights/booking/outcome,transport/errors/advice}.test.ts",
      "test/{transport/refusals/clauses,transport/unchecked-status,verification/find-vpas}.test.ts",
      "test/transport/{answers,call,callbacks,classify,credentials,deadlines,documented-refusals,echo,hooks}.test.ts",
      "test/transport/{echoed-secrets,headers,never-sent,own-schemas,redirects,request-id,retries,retry}.test.ts",
      "test/transport/{retry-pause,runtime-fetch,secrets,sending,unawaited,unexpected,unknown-outcome}.test.ts",
    ],
  ),
  part(
    "src/transport/refusals",
    95,
    ["src/transport/refusals/*.ts"],
    [
      "test/flights/booking/{corpus,outcome}.test.ts",
      "test/operation.test.ts",
      "test/transport/{answers,callbacks,documented-refusals,hooks,never-sent,own-schemas,sending}.test.ts",
      "test/transport/{refusals/clauses,unexpected,unknown-outcome}.test.ts",
    ],
  ),
  part(
    "src/transport: logs",
    85,
    ["src/transport/{log,redact}.ts"],
    ["test/transport/{callbacks,echoed-secrets,hooks,log,secrets}.test.ts"],
  ),
  part(
    "src/transport: attempts",
    85,
    ["src/transport/{transport,cancellation}.ts"],
    [
      "test/flights/checkout/in-time.test.ts",
      "test/transport/{answers,as-response,callbacks,cancellation,deadlines,hooks,log,missing-chunk}.test.ts",
      "test/transport/{redirects,request-id,retries,retry,runtime-fetch,sending,streaming-response}.test.ts",
      "test/transport/{unawaited,unexpected,unknown-outcome}.test.ts",
      "test/verification/many/rate.test.ts",
    ],
  ),
  part(
    "src/transport",
    85,
    ["src/transport/{call,retries,retry-policy}.ts"],
    [
      "test/options.test.ts",
      "test/flights/checkout/in-time.test.ts",
      "test/transport/{as-response,call,callbacks,hooks,log,missing-chunk,retries,retry,retry-pause}.test.ts",
      "test/transport/{runtime-fetch,sending,streaming-response,unawaited,unexpected}.test.ts",
      "test/verification/many/{ending,rate}.test.ts",
    ],
  ),
  part(
    "src/flights",
    85,
    ["src/flights/*.ts"],
    [
      "test/flights/{errors,booking/outcome,echo,operations,requests,responses,rule-text,wrong-arguments}.test.ts",
      "test/flights/checkout/{attempts,journal-faults,requote}.test.ts",
    ],
  ),
  part(
    "src/flights/booking",
    95,
    ["src/flights/booking/*.ts"],
    ["test/flights/{booking/outcome,echo,responses,wrong-arguments}.test.ts"],
  ),
  part(
    "src/flights/changes",
    85,
    ["src/flights/changes/*.ts"],
    ["test/flights/{changes/*,checkout/checkout,checkout/requote,wrong-arguments}.test.ts"],
  ),
  part("src/flights/fees", 85, ["src/flights/fees/*.ts"], ["test/flights/{fees/*,wrong-arguments}.test.ts"]),
  part("src/flights/forms", 85, ["src/flights/forms/*.ts"], ["test/flights/forms/forms.test.ts"]),
  part(
    "src/flights/passengers: who travels",
    85,
    ["src/flights/passengers/{ages,fields}.ts"],
    ["test/flights/{passengers/{ages,codes,index},wrong-arguments}.test.ts"],
  ),
  part(
    "src/flights/passengers",
    85,
    ["src/flights/passengers/!(ages|fields).ts"],
    ["test/flights/{passengers/{codes,index,passport},requests,wrong-arguments}.test.ts"],
  ),
  part(
    "src/flights/quote",
    85,
    ["src/flights/quote/*.ts"],
    [
      "test/flights/{quote/*,changes/index,fees/index,responses,wrong-arguments}.test.ts",
      "test/flights/passengers/{ages,index}.test.ts",
    ],
  ),
  part(
    "src/ai",
    85,
    ["src/ai/!(framing).ts", "src/ai/{conversation,text}/*.ts"],
    [
      "test/ai/{options,requests}.test.ts",
      "test/ai/{conversation,text}/*.test.ts",
      "test/ai/stream/{stream,stream-session,truth}.test.ts",
    ],
  ),
  part(
    "src/ai/framing",
    85,
    ["src/ai/framing.ts"],
    ["test/ai/framing.test.ts", "test/ai/stream/{stream,truth,warnings}.test.ts"],
  ),
  part(
    "src/ai/relay",
    85,
    ["src/ai/relay/*.ts"],
    ["test/ai/relay/{relay,read-relay}.test.ts", "test/ai/ui-messages/*.test.ts"],
  ),
  part("src/ai/ui-messages", 85, ["src/ai/ui-messages/*.ts"], ["test/ai/ui-messages/*.test.ts"]),
  part(
    "src/ai/stream: bytes and events",
    85,
    ["src/ai/stream/{open-stream,parse-event}.ts"],
    [
      "test/ai/stream/{deadlines,loading,open-stream,stream-session,stream,truth,warnings}.test.ts",
      "test/ai/framing.test.ts",
    ],
  ),
  part(
    "src/ai/stream",
    85,
    ["src/ai/stream/!(open-stream|parse-event).ts"],
    [
      "test/ai/stream/{endings,loading,order,stream-session,stream,truth,warnings}.test.ts",
      "test/ai/relay/relay.test.ts",
    ],
  ),
];
