import type { ServiceApi } from "../../../src/index.ts";
import type { Webhooks } from "../../../src/webhooks/index.ts";
import type { Context } from "./context.ts";
import { outcomeOf } from "./describe.ts";

/** Objects that an application makes once, when its module is loaded: in workerd, outside of every request. */
export interface Globals {
  readonly api: ServiceApi;
  readonly webhooks: Webhooks;
  readonly receive: ReturnType<Webhooks["handler"]>;
  /** The references that took effect. */
  readonly credited: string[];
}

const signatureHeader = "x-signature";

/** Creates them. Nothing here may do I/O, start a timer or use randomness: workerd forbids it outside of a request. */
export function createGlobals(context: Context): Globals {
  const { hmac, memoryStore, Webhooks } = context.host.webhooks;
  const credited: string[] = [];
  const webhooks = new Webhooks({
    auth: [hmac({ header: signatureHeader, secrets: [context.settings.secret] })],
    store: memoryStore(),
    findOrder: "none",
  });
  const receive = webhooks.handler({
    SUCCESS: ({ client_referenceId }) => void credited.push(client_referenceId),
    FAILED: () => {},
    REJECTED: () => {},
  });
  return { api: context.client({ baseUrl: context.address("globals", "answer") }), webhooks, receive, credited };
}

/** One request to an application: it calls out, and it receives a payout notification. */
export async function useGlobals(context: Context, globals: Globals, turn: "first" | "second"): Promise<void> {
  const { api, receive, credited } = globals;
  const { book, createResponse, findVpas } = context.settings.requests;
  context.print(`globals.${turn}`, {
    findVpas: await outcomeOf(context.host.serviceapi, () =>
      api.verification.findVpas(findVpas).then(({ status }) => status),
    ),
    createResponse: await outcomeOf(context.host.serviceapi, () =>
      api.ai.createResponse(createResponse).then(({ status }) => status),
    ),
    book: await outcomeOf(context.host.serviceapi, () => api.flights.book(book).then(({ status }) => status)),
  });
  // The same delivery in both turns: it takes effect in the first.
  const delivery = await signed(globals);
  const answers = [await receive(post(delivery.body, delivery.headers)), await receive(post(delivery.body, {}))];
  context.print(`webhooks.${turn}`, {
    answers: await Promise.all(
      answers.map(async (answer) => [answer.status, ((await answer.json()) as Acknowledged).status]),
    ),
    credited,
  });
}

interface Acknowledged {
  readonly status: string;
}

const signed = ({ webhooks }: Globals) =>
  webhooks.sign({
    status: "SUCCESS",
    statusCode: "200",
    transactionId: "T-1",
    client_referenceId: "order-17",
    txn_amount: 1500.5,
    acknowledged: "1",
    utr: "U-1",
    description: "credited",
  });

function post(body: BodyInit, headers: HeadersInit): Request {
  return new Request("https://shop.example/hooks", { method: "POST", body, headers });
}

/**
 * Nothing is configured, and Deno may not read the environment: the constructor works, and a call says what is missing.
 */
export async function runWithoutEnvironment(context: Context): Promise<void> {
  const api = new context.host.serviceapi.ServiceApi();
  context.print(
    "withoutEnvironment",
    await outcomeOf(context.host.serviceapi, () => api.verification.findVpas(context.settings.requests.findVpas)),
  );
}

/** `JSON.parse` alone would round the ID. */
export async function runLongIntegers(context: Context): Promise<void> {
  const text = '{"status":"success","statusCode":"101","vpa":"a@b","partner_id":9007199254740993}';
  const api = context.client({ baseUrl: context.settings.refused, fetch: async () => new Response(text) });
  context.print("longIntegers", await api.verification.findVpas(context.settings.requests.findVpas));
}

/** Everything that somebody might print; the driver searches all output for the secret. */
export async function runPrinting(context: Context): Promise<void> {
  const api = context.client({ baseUrl: context.address("printing", "status:401") });
  const call = api.flights.book(context.settings.requests.book);
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  for (const thing of [api, call, error, api.flights, api.ai, context.client({ baseUrl: context.settings.refused })]) {
    console.log(thing);
    console.log(String(thing), JSON.stringify(thing));
    console.error(thing);
  }
  context.print("printing", { isError: error instanceof Error });
}
