import { ConfigurationError } from "../../../errors/request.ts";
import { chooseProxy } from "../../../node/proxy.ts";
import { type Check, failed, ok, warning } from "./check.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The way from this machine to the service. */
export interface Route {
  readonly check: Check;
  /** Whether a proxy of the environment stands between. */
  readonly isProxied: boolean;
}

const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
const exceptions = ["no_proxy", "NO_PROXY"];

/** Checks whether the environment names a proxy for a URL, and who uses it. */
export function checkProxy(url: URL, environment: Environment): Route {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const named = variables.filter(isSet).join(", ");
  const excepted = exceptions.filter(isSet).join(", ");
  try {
    if (chooseProxy(undefined, environment)(url) !== undefined) {
      return { isProxied: true, check: proxied(named, environment) };
    }
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    const detail = error.message.replace(/^nodeFetch: /, "").replace(/\.$/, "");
    return { isProxied: false, check: failed("proxy", detail, "Correct or unset it.") };
  }
  const reason = named === "" ? "none in the environment" : `${named} is not for this host (${excepted || "scheme"})`;
  return { isProxied: false, check: ok("proxy", reason) };
}

function proxied(named: string, { NODE_USE_ENV_PROXY, NODE_OPTIONS }: Environment): Check {
  const isUsed = NODE_USE_ENV_PROXY === "1" || (NODE_OPTIONS ?? "").includes("--use-env-proxy");
  return isUsed
    ? ok("proxy", `from ${named}, also for the fetch of Node (NODE_USE_ENV_PROXY)`)
    : warning(
        "proxy",
        `from ${named}: the checks below go through it, but the fetch of Node ignores it`,
        "Pass `fetch: nodeFetch()` of serviceapi/node to the client, or set NODE_USE_ENV_PROXY=1 (Node 24).",
      );
}
