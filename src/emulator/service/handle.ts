import { ignoreRejection } from "../../shared/promises.ts";
import { isCredentialHeader } from "../../transport/redact.ts";
import { controlPrefix, type EmulatorControls, handleControl } from "../http/control.ts";
import type { EmulatedRequest, EmulatedResponse, Handler } from "../http/messages.ts";
import type { RequestLine } from "../options.ts";
import type { Behaviour } from "./behaviour.ts";
import { unknownPath } from "./refusals.ts";
import { type ServiceContext, serve } from "./serve.ts";
import type { Watcher } from "./watchers.ts";

/** The parts of the emulator that handle a request. */
interface HandlerContext extends ServiceContext {
  readonly watchers: Set<Watcher>;
}

type OnRequest = ((line: RequestLine) => unknown) | undefined;

/** Returns the handler of all requests, from a socket or from `emulator.fetch`. It records and logs each of them. */
export function createHandler(context: HandlerContext, controls: EmulatorControls, onRequest: OnRequest): Handler {
  return async (request) => {
    const body = parseBody(request.body);
    const behaviour = context.operations.find(request.path, body);
    const log = startLine(request, behaviour, onRequest);
    try {
      const response = request.path.includes(controlPrefix)
        ? await handleControl(controls, request, context.operations)
        : await respond(request, behaviour, body, context);
      log(response.status);
      return response;
    } catch (error) {
      log(undefined);
      throw error;
    }
  };
}

async function respond(
  request: EmulatedRequest,
  behaviour: Behaviour | undefined,
  body: unknown,
  context: HandlerContext,
): Promise<EmulatedResponse> {
  const { method, path } = request;
  const shown = [...request.headers].map(([name, value]) => [name, isCredentialHeader(name) ? "[redacted]" : value]);
  const { "client-secret": _secret, ...headers }: Record<string, string> = Object.fromEntries(shown);
  const operation = behaviour?.operation.name;
  const received = { operation, method, path, headers, body, receivedAt: context.clock.now() };
  context.state.receive(received, request.body.length);
  const observations = [...context.watchers].map((watcher) => watcher.observe(received));
  try {
    const response =
      behaviour === undefined
        ? unknownPath(path, context.operations.misplaced(path))
        : await serve(behaviour, request, received, context, (name) => {
            for (const each of observations) each.meets(name);
          });
    return observations.reduce((sent, each) => each.isSent(sent), response);
  } catch (error) {
    for (const each of observations) each.isDropped(request.signal.aborted);
    throw error;
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the function that calls `onRequest` with the status of the response, or undefined if there was none. */
function startLine(
  { method, path }: EmulatedRequest,
  behaviour: Behaviour | undefined,
  onRequest: OnRequest,
): (status: number | undefined) => void {
  const startedAt = performance.now();
  const operation = behaviour?.operation.name ?? path;
  return (status) => {
    try {
      const duration = Math.round(performance.now() - startedAt);
      ignoreRejection(onRequest?.({ method, operation, status, duration }));
    } catch {
      // A log that fails changes no response.
    }
  };
}
