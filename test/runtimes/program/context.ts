import type * as ServiceApiEntry from "../../../src/index.ts";
import type {
  BookParams,
  ClientOptions,
  CreateResponseParams,
  FindVpasParams,
  RequestOptions,
  ServiceApi,
} from "../../../src/index.ts";
import type * as WebhooksEntry from "../../../src/webhooks/index.ts";

/** The parts that each runtime's entry file (`main.ts`, `worker.ts`) provides. */
export interface Host {
  readonly serviceapi: typeof ServiceApiEntry;
  readonly webhooks: typeof WebhooksEntry;
  readonly writeLine: (line: string) => void;
  readonly collectGarbage: (() => void) | undefined;
}

/** Settings that the driver passes to the program. */
export interface Settings {
  /** URLs of the service, of the service with a self-signed certificate, and of a port on which nothing listens. */
  readonly http: string;
  readonly https: string;
  readonly refused: string;
  readonly secret: string;
  readonly requests: Requests;
}

export interface Requests {
  readonly findVpas: FindVpasParams;
  readonly createResponse: Omit<CreateResponseParams, "stream">;
  readonly book: BookParams;
}

/** One operation of each retry class. */
export type OperationName = keyof Requests;

export type Send = (api: ServiceApi, requests: Requests, options?: RequestOptions) => PromiseLike<unknown>;

export const operations: Readonly<Record<OperationName, Send>> = {
  findVpas: (api, { findVpas }, options) => api.verification.findVpas(findVpas, options),
  createResponse: (api, { createResponse }, options) => api.ai.createResponse(createResponse, options),
  book: (api, { book }, options) => api.flights.book(book, options),
};

export const operationNames: readonly OperationName[] = ["findVpas", "createResponse", "book"];

/** The tools of a scenario. */
export class Context {
  readonly host: Host;
  readonly settings: Settings;

  constructor(host: Host, settings: Settings) {
    this.host = host;
    this.settings = settings;
  }

  /** URL at which a request of this scenario meets this behaviour; see `service/behaviours.ts`. */
  address(scenario: string, behaviour: string): string {
    return `${this.settings.http}/${scenario}/${behaviour}`;
  }

  client(options: ClientOptions): ServiceApi {
    const { secret } = this.settings;
    return new this.host.serviceapi.ServiceApi({
      clientId: "client-1",
      clientSecret: secret,
      retryDelay: () => 0,
      ...options,
    });
  }

  /**
   * Resolves once a request of the scenario has arrived at the service (`received`), or its connections are gone
   * (`closed`).
   */
  async happened(event: "received" | "closed", scenario: string): Promise<true> {
    const response = await fetch(`${this.settings.http}/control/${event}/${scenario}`, {
      signal: AbortSignal.timeout(5_000),
    });
    await response.arrayBuffer();
    return true;
  }

  print(scenario: string, result: object): void {
    this.host.writeLine(JSON.stringify({ scenario, result }));
  }
}
