/** The code that is mutated, the tests that should notice it, and how often they must. */

export interface Part {
  /** Its folder, or the folder that it is the rest of. */
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
  "!src/{ai/ui-messages,flights/forms}/index.ts",
  "!src/**/*suite*.ts",
  "!src/**/schemas.ts",
  "!src/**/schemas/*.ts",
  "!src/**/checks.ts",
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
      "test/webhooks/auth/{basic,custom,freshness,hmac,ip-allow-list}.test.ts",
      "test/webhooks/receive/{authenticate,headers}.test.ts",
      "test/webhooks/{sign,options}.test.ts",
    ],
  ),
  part(
    "src/flights/checkout",
    95,
    ["src/flights/checkout/*.ts"],
    [
      "test/flights/checkout/{attempts,in-time,index,journal-faults,names,next-step,options,requote,resume,shop}.test.ts",
    ],
  ),
  part(
    "src/webhooks/receive",
    95,
    ["src/webhooks/receive/**/*.ts"],
    [
      "test/webhooks/receive/{authenticate,commits,conflicts,events,handler,headers}.test.ts",
      "test/webhooks/receive/{known-work,nonces,process,told,waiting}.test.ts",
      "test/webhooks/receive/body/read-body.test.ts",
      "test/webhooks/auth/{custom,hmac,ip-allow-list}.test.ts",
    ],
  ),
  part(
    "src/flights/journal",
    95,
    ["src/flights/journal/!(file*|postgres*).ts"],
    [
      "test/flights/journal/{adopt,failure,fingerprint,memory,reconcile}.test.ts",
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
    85,
    ["src/webhooks/stores/{postgres,redis,store-failure}*.ts"],
    ["test/webhooks/stores/{failures,options,postgres,redis}.test.ts"],
  ),
  part(
    "src/transport",
    85,
    ["src/transport/**/*.ts"],
    [
      "test/transport/{answers,base-url,call,callbacks,classify,credentials,deadlines,documented-refusals}.test.ts",
      "test/transport/{echoed-secrets,envelope,exact-ids,headers,hooks,log,missing-chunk,never-sent,own-schemas}.test.ts",
      "test/transport/{read-body,redirects,request-id,retries,retry,retry-pause,runtime-fetch,secrets,sending}.test.ts",
      "test/transport/{streaming-response,unawaited,unexpected,unknown-outcome}.test.ts",
    ],
  ),
  part(
    "src/webhooks",
    85,
    ["src/webhooks/*.ts", "src/webhooks/adapters/*.ts"],
    [
      "test/webhooks/{check-acknowledgement,options,sign}.test.ts",
      "test/webhooks/adapters/{examples,lambda,node}.test.ts",
      "test/webhooks/receive/{events,handler,process,told}.test.ts",
    ],
  ),
  part(
    "src/flights",
    85,
    ["src/flights/*.ts", "src/flights/!(checkout|journal)/*.ts"],
    [
      "test/flights/{echo,operations,requests,responses,rule-text,wrong-arguments}.test.ts",
      "test/flights/{booking,changes,fees,forms,quote}/*.test.ts",
      "test/flights/passengers/{ages,codes,index,passport}.test.ts",
    ],
  ),
  part(
    "src/ai",
    85,
    ["src/ai/**/*.ts"],
    [
      "test/ai/{options,requests}.test.ts",
      "test/ai/{conversation,framing,text,ui-messages}/*.test.ts",
      "test/ai/relay/relay.test.ts",
      "test/ai/stream/{deadlines,dropped,loading,reorder-buffer,stream-session,stream,transcript,truth,warnings}.test.ts",
    ],
  ),
];
