import { ConfigurationError } from "../../../errors/request.ts";
import { checkBaseUrl } from "../../../transport/endpoint.ts";
import { type Check, type CheckGroup, noneFailed, notChecked } from "./check.ts";
import { checkConnection } from "./connection.ts";
import { checkProxy } from "./proxy.ts";
import { checkResponse } from "./response.ts";
import { checkRuntime } from "./runtime.ts";
import type { Settings } from "./settings.ts";
import { baseUrlOf, checkSettings } from "./well-formed.ts";

/** Milliseconds for each step on the way to the service, unless `--timeout` says otherwise. */
const defaultLimit = 10_000;

/** Runs every check that needs no call of the service. */
export async function runChecks(settings: Settings): Promise<readonly CheckGroup[]> {
  return [
    { title: "This machine", checks: checkRuntime(process.versions, process.env) },
    { title: "Settings", checks: checkSettings(settings) },
    { title: "The way to the service", checks: await checkWay(settings) },
  ];
}

async function checkWay({ options }: Settings): Promise<readonly Check[]> {
  const url = urlOf(options);
  if (url === undefined) {
    const names = ["proxy", "name (DNS)", "connection (TCP)", "certificate (TLS)", "response (HTTP)", "clock"];
    return names.map((name) => notChecked(name, "the base URL is missing or malformed"));
  }
  const limit = options.timeout || defaultLimit;
  const { check, isProxied } = checkProxy(url, process.env);
  const way = [check, ...(await checkConnection(url, isProxied, limit))];
  if (noneFailed(way)) return [...way, ...(await checkResponse(url, limit))];
  const reason = `${way.find(({ state }) => state === "failed")?.name} failed`;
  return [...way, ...["response (HTTP)", "clock"].map((name) => notChecked(name, reason))];
}

function urlOf(options: Settings["options"]): URL | undefined {
  try {
    return new URL(checkBaseUrl(baseUrlOf(options), options));
  } catch (error) {
    if (ConfigurationError.isInstance(error)) return undefined;
    throw error;
  }
}
