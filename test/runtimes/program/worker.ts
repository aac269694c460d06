import { Context, type Host, type Settings } from "./context.ts";
import { parts } from "./run.ts";
import { createGlobals } from "./surroundings.ts";

/** The program in workerd: each part is a request, and its lines are the response. Called when the module is loaded. */
export function createWorker(
  entries: Pick<Host, "serviceapi" | "webhooks">,
  settings: Settings,
): { fetch(request: Request): Promise<Response> } {
  const lines: string[] = [];
  const { gc } = globalThis as { gc?: () => void };
  const context = new Context({ ...entries, writeLine: (line) => lines.push(line), collectGarbage: gc }, settings);
  const globals = createGlobals(context);
  return {
    async fetch(request) {
      const run = parts[new URL(request.url).pathname.slice(1)];
      if (run === undefined) return new Response("no such part", { status: 404 });
      await run(context, globals);
      return new Response(lines.splice(0).join("\n"));
    },
  };
}
