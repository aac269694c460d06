/** Starts the process of the service, and asks it to act. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { DeliveryAttempt, DeliveryPlan } from "../../src/emulator/deliveries/types.ts";
import type { EmulatedBooking, OperationName, ResponseName } from "../../src/emulator/emulator.ts";
import type { Payout } from "./payouts.ts";

export type Ask =
  /** Makes requests meet rules, and returns how many have met them when all have, or after `within` milliseconds. */
  | {
      readonly act: "rules";
      readonly responses: readonly (readonly [name: ResponseName, times: number])[];
      readonly operation?: OperationName | undefined;
      readonly within: number;
    }
  | ({ readonly act: "payout"; readonly to: string; readonly plan: DeliveryPlan } & Omit<Payout, "store">)
  /** Moves the clock, and returns by how many milliseconds it is ahead of real time. */
  | { readonly act: "advance"; readonly duration: number }
  /** Makes all retries that are due, and redelivers each payout until it is acknowledged. */
  | { readonly act: "finish" }
  | { readonly act: "truth" }
  | { readonly act: "stop" };

export interface Received {
  readonly operation: string;
  readonly reference: string;
}

/** The acknowledgement of an attempt; `none` without a response, `invalid` for one that §6.3 does not allow. */
export type Acknowledged = "SUCCESS" | "DUPLICATE" | "FAILED" | "none" | "invalid";

/** Returns the acknowledgement as the service takes it: the status of one that it refuses does not count. */
export function acknowledgedBy({
  httpStatus,
  status,
  problem,
}: Pick<DeliveryAttempt, "httpStatus" | "status" | "problem">): Acknowledged {
  if (httpStatus === undefined) return "none";
  const isValid = problem === undefined || problem === "acknowledged FAILED";
  return isValid ? (status ?? "invalid") : "invalid";
}

/** The requests that the service received, and its bookings and deliveries. */
export interface ServiceTruth {
  readonly received: readonly Received[];
  readonly bookings: readonly EmulatedBooking[];
  /** The acknowledgement of each attempt to deliver a payout. */
  readonly deliveries: readonly { readonly reference: string; readonly statuses: readonly Acknowledged[] }[];
}

export interface Service {
  readonly url: string;
  ask(ask: Ask): Promise<unknown>;
  truth(): Promise<ServiceTruth>;
  stop(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const child = fork(fileURLToPath(new URL("service.ts", import.meta.url)));
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  child.on("message", ({ id, result, error }: { readonly id: number; readonly result?: unknown; error?: string }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(`The service: ${error}`));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("The service ended."));
  });
  let asked = 0;
  const ask = (what: Ask) =>
    new Promise<unknown>((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      child.send({ id: asked, ...what });
    });
  return {
    url,
    ask,
    truth: async () => (await ask({ act: "truth" })) as ServiceTruth,
    async stop() {
      const ended = once(child, "exit");
      void ask({ act: "stop" }).catch(() => {}); // Its end is the reply.
      await ended;
    },
  };
}
