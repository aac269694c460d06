import type * as ServiceApiEntry from "../../../src/index.ts";
import { run } from "./run.ts";

/** The program in workerd: a request runs it. */
export function createWorker(serviceapi: typeof ServiceApiEntry, control: string): { fetch(): Promise<Response> } {
  return {
    async fetch() {
      await run({ control, serviceapi });
      return new Response("done");
    },
  };
}
