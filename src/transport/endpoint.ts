import type { Area, AreaName } from "../area.ts";
import { ConfigurationError } from "../errors/request.ts";
import { type ClientOptions, type Credential, defaults } from "../options.ts";
import { credentialComplaint } from "../shared/credential.ts";
import { environmentNote, readEnvironment } from "../shared/environment.ts";
import { isLoopback } from "../shared/loopback.ts";
import type { CalledOperation } from "./request.ts";

type UrlOptions = Pick<ClientOptions, "baseUrl" | "pathPrefixes" | "dangerouslyAllowHttp">;

/** The URLs of a client's operations, checked once for each base URL: the environment may change it. */
export class OperationUrls {
  readonly #options: UrlOptions;
  /** By operation; weakly, as an application may define one for each call. */
  readonly #known = new WeakMap<object, { readonly baseUrl: string; readonly url: string }>();

  constructor(options: UrlOptions) {
    this.#options = options;
  }

  urlOf(operation: Pick<CalledOperation, "area" | "path">): string {
    const baseUrl = this.#options.baseUrl ?? fromEnvironment("baseUrl");
    const known = this.#known.get(operation);
    if (known?.baseUrl === baseUrl) return known.url;
    const { area, path } = operation;
    const url = operationUrl(checkBaseUrl(baseUrl, this.#options), area, path, this.#options);
    this.#known.set(operation, { baseUrl, url });
    return url;
  }
}

/** Checks a base URL (docs/assumptions.md, T2) and returns it without a trailing slash. */
export function checkBaseUrl(text: string, { dangerouslyAllowHttp = [] }: UrlOptions): string {
  if (/\s/.test(text))
    throw baseUrlError("has white space in or around it, as a value read from a file often does: remove it");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw baseUrlError((text && credentialComplaint(text, "text")) || "is not a URL such as https://api.example.com");
  const { username, password, protocol, host, hostname, href } = url;
  if (username !== "" || password !== "") throw baseUrlError("must not hold a user name or password");
  if (/[?#]/.test(text)) throw baseUrlError("must not hold a query or fragment");
  // Characters that `URL` replaces: letters that look like others, invisible ones, `%61`, backslashes.
  if (!/^https?:\/\/[\w.:[\]-]+(?:\/[\x21-\x5b\x5d-\x7e]*)?$/i.test(text))
    throw baseUrlError(`has characters that may pass for others. If you mean the host ${host}, write it so`);
  const mayBePlain = isLoopback(hostname) || dangerouslyAllowHttp.some((name) => name.toLowerCase() === hostname);
  if (protocol === "http:" && !mayBePlain) {
    throw baseUrlError(
      "must be https, because the client secret travels in a header. `dangerouslyAllowHttp` names test hosts that may use http",
    );
  }
  return href.replace(/\/+$/, "");
}

/**
 * Returns the URL of an operation. Refuses a base URL that ends in the area's prefix or in its beginning, which would
 * double it.
 */
export function operationUrl(baseUrl: string, area: AreaName, path: string, options: UrlOptions): string {
  const byDefault = Object.hasOwn(defaults.pathPrefixes, area) ? defaults.pathPrefixes[area as Area] : "";
  const prefix = (options.pathPrefixes?.[area] ?? byDefault).replaceAll(/^\/+|\/+$/g, "");
  const base = new URL(baseUrl);
  const steps = prefix.split("/");
  const doubled = steps
    .map((_, i) => steps.slice(0, steps.length - i).join("/"))
    .find((part) => part !== "" && base.pathname.endsWith(`/${part}`));
  if (doubled !== undefined) {
    throw baseUrlError(
      `already ends in "${doubled}", with which the path "${prefix}" begins that this library adds; ` +
        `use ${baseUrl.slice(0, -doubled.length - 1)}, or change \`pathPrefixes.${area}\``,
    );
  }
  const added = prefix === "" ? path : `${prefix}/${path}`;
  const url = `${baseUrl}/${added}`;
  // The last check that the credentials stay below the base URL, whatever the rules of the options let pass.
  const { origin, pathname, search, hash } = new URL(url);
  const isBelow = origin === base.origin && pathname.startsWith(base.pathname.replace(/\/*$/, "/"));
  if (isBelow && search === "" && hash === "") return url;
  throw new ConfigurationError(`The path "${added.slice(0, 100)}" does not stay below \`baseUrl\`. Nothing was sent.`);
}

function baseUrlError(reason: string): ConfigurationError {
  return new ConfigurationError(`\`baseUrl\` ${reason}.`);
}

/** The two headers of §5. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The environment variables that stand for options. */
const variables = {
  baseUrl: "SERVICEAPI_BASE_URL",
  clientId: "SERVICEAPI_CLIENT_ID",
  clientSecret: "SERVICEAPI_CLIENT_SECRET",
};

/**
 * Reads both credentials again for each call, so that rotation needs no restart (docs/assumptions.md, T4). Returns a
 * promise only if one is a function.
 */
export function readCredentials({ clientId, clientSecret }: ClientOptions): Credentials | Promise<Credentials> {
  if (typeof clientId !== "function" && typeof clientSecret !== "function")
    return {
      clientId: clientId ?? fromVariable("clientId"),
      clientSecret: clientSecret ?? fromVariable("clientSecret"),
    };
  // Both at once, so that the failure of one does not leave that of the other unhandled.
  const asked = [askFor("clientId", clientId), askFor("clientSecret", clientSecret)] as const;
  return Promise.all(asked).then(([clientId, clientSecret]) => ({ clientId, clientSecret }));
}

async function askFor(name: keyof Credentials, given: Credential | undefined): Promise<string> {
  if (typeof given !== "function") return given ?? fromVariable(name);
  let value: unknown;
  try {
    value = await given();
  } catch {
    throw new ConfigurationError(
      `The function passed as \`${name}\` threw. Nothing was sent. Log its error in the function: it may quote the secret, and is not shown.`,
    );
  }
  return checkCredential(`\`${name}\`, from its function,`, value);
}

function fromVariable(name: keyof Credentials): string {
  return checkCredential(`\`${name}\`, from ${variables[name]},`, fromEnvironment(name));
}

function checkCredential(what: string, value: unknown): string {
  const complaint = credentialComplaint(value);
  if (complaint === undefined) return String(value);
  throw new ConfigurationError(`${what} ${complaint}.`);
}

/** Returns an option that is left out, from its environment variable. */
function fromEnvironment(name: keyof typeof variables): string {
  const variable = variables[name];
  const value = readEnvironment(variable);
  if (value !== undefined && value !== "") return value;
  throw new ConfigurationError(
    `\`${name}\` is missing: pass it as an option of the client, or set ${variable}${environmentNote(variable)}.`,
  );
}
