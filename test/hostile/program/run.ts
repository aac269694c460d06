import type * as ServiceApiEntry from "../../../src/index.ts";
import type { ClientOptions, ServiceApi } from "../../../src/index.ts";
import { type Outcome, outcomeOf } from "../../runtimes/program/describe.ts";
import { type OperationName, operations, type Requests } from "./operations.ts";

/** The work of the program. */
export interface Work {
  readonly jobs: readonly Job[];
  readonly requests: Requests;
  readonly secret: string;
  /** Everything that no error may show. */
  readonly hidden: Hidden;
}

/** Everything that no error may show. */
export interface Hidden {
  /** The secret, and those of proxies. */
  readonly secrets: readonly string[];
  /** Personal data of the samples. */
  readonly people: readonly string[];
  /** The secrets as programs spell them. */
  readonly spelled: readonly string[];
}

/** One operation that meets one scenario. */
export interface Job {
  readonly id: number;
  readonly operation: OperationName;
  readonly baseUrl: string;
  readonly options: ClientOptions;
  readonly isWaiting: boolean;
  readonly calls: number;
  readonly padding: number;
}

/** The outcome of a job. */
export interface Report extends Outcome {
  /** The places of the error that show something hidden. */
  readonly leaks: readonly string[];
}

/** The parts that each runtime's entry file (`main.ts`, `worker.ts`) provides. */
export interface Host {
  readonly serviceapi: typeof ServiceApiEntry;
  /** URL of the driver. */
  readonly control: string;
  /** The `fetch` of the clients, unless it is that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
  /** Returns the names of the resources that remain, if the runtime can tell. */
  readonly findResources?: () => Promise<readonly string[]>;
  /** Returns a function that names all places where an error shows something hidden, if the runtime can look into them. */
  readonly createScan?: (hidden: Hidden) => (error: Error) => readonly string[];
}

/** The remains of all calls. */
export interface Remains {
  /** Number of listeners on the signal that all calls had. */
  readonly listeners: number;
  /** Timers, sockets and requests that keep the process alive, if the runtime can tell. */
  readonly resources?: readonly string[];
}

/** Asks the driver for the work, does it, and reports each outcome. The reply comes once its connections are closed. */
export async function run(host: Host): Promise<void> {
  const work = (await (await fetch(`${host.control}/work`)).json()) as Work;
  const { signal } = new AbortController();
  const countListeners = watchListeners(signal);
  const post = async (path: string, content: unknown) => {
    await (await fetch(`${host.control}/${path}`, { method: "POST", body: JSON.stringify(content) })).text();
  };
  const scan = host.createScan?.(work.hidden) ?? ((error: Error) => leaksIn(error, work.hidden));
  const report = async (job: Job) => post(`ended/${job.id}`, await doJob(host, work, job, { signal, scan }));
  await inParallel(
    8,
    work.jobs.filter(({ isWaiting }) => !isWaiting),
    report,
  );
  // Few enough at a time that the deadlines of a job are not used up by the others.
  await inParallel(
    40,
    work.jobs.filter(({ isWaiting }) => isWaiting),
    report,
  );
  const resources = await host.findResources?.();
  const remains: Remains = { listeners: countListeners(), ...(resources && { resources }) };
  await post("remains", remains);
}

/** Counts the listeners of a signal from now on, in every runtime. */
function watchListeners(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  return () => listeners.size;
}

async function inParallel<T>(limit: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

interface Tools {
  readonly signal: AbortSignal;
  readonly scan: (error: Error) => readonly string[];
}

async function doJob({ serviceapi, fetch }: Host, work: Work, job: Job, { signal, scan }: Tools): Promise<Report> {
  const { baseUrl, operation, calls, padding } = job;
  const api: ServiceApi = new serviceapi.ServiceApi({
    baseUrl,
    clientId: "client-1",
    clientSecret: work.secret,
    retryDelay: () => 0,
    // A call that hangs must not hold the others.
    timeout: 60_000,
    ...(fetch && { fetch }),
    ...job.options,
  });
  const { timeout } = job.options;
  const options = {
    signal,
    ...(timeout !== undefined && { timeout }),
    ...(padding > 0 && { extraBody: { padding: "x".repeat(padding) } }),
  };
  const send = () => operations[operation](api, work.requests, options);
  for (let call = 1; call < calls; call++) {
    await send();
    // A turn later its connection is idle.
    await new Promise((resolve) => setTimeout(resolve));
  }
  let leaks: readonly string[] = [];
  const outcome = await outcomeOf(serviceapi, () =>
    send().then(undefined, (error: unknown) => {
      leaks = error instanceof Error ? scan(error) : ["not an error"];
      throw error;
    }),
  );
  return { ...outcome, leaks };
}

/** Looks where every runtime can: messages, stacks, JSON, and for secrets also the fields that it leaves out. */
function leaksIn(error: Error, { people, spelled }: Hidden): readonly string[] {
  const shown: string[] = [];
  const held: string[] = [];
  for (let link: unknown = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++) {
    shown.push(link.message, link.stack ?? "", JSON.stringify(link));
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(link))) {
      held.push(JSON.stringify(value instanceof Headers ? [...value] : value));
    }
  }
  const prints = shown.join("\n");
  const all = `${prints}\n${held.join("\n")}`;
  return [
    ...(spelled.some((text) => all.includes(text)) ? ["a secret in the prints or the fields"] : []),
    // Shorter names are parts of words.
    ...(people.some((text) => text.length >= 8 && prints.includes(text)) ? ["personal data in the prints"] : []),
  ];
}
