import type { ConnectionOptions } from "node:tls";
import { ConfigurationError } from "../errors/request.ts";
import type { Route } from "./connect.ts";
import { hostOf, type ProxyFor } from "./proxy.ts";

/** A URL, taken apart for requests. */
export interface Target {
  /** Without fragment: `url` of the response. */
  readonly href: string;
  readonly route: Route;
  /** The target of the request line: a path, or the URL for a proxy. */
  readonly path: string;
  /** `host`, and the credentials for the proxy if it reads the request. Names and values alternating. */
  readonly headers: readonly string[];
}

/** Bounds the cache for callers with many URLs. */
const maxKept = 100;

/** The targets by URL. Requests to one origin share one route, and so their connections. */
export class Targets {
  readonly #tls: ConnectionOptions;
  readonly #proxyFor: ProxyFor;
  readonly #targets = new Map<string, Target>();
  readonly #routes = new Map<string, Route>();

  constructor(tls: ConnectionOptions, proxyFor: ProxyFor) {
    this.#tls = tls;
    this.#proxyFor = proxyFor;
  }

  get(text: string): Target {
    const known = this.#targets.get(text);
    if (known !== undefined) return known;
    const target = this.#read(text);
    keep(this.#targets, text, target);
    return target;
  }

  #read(text: string): Target {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
      throw new ConfigurationError("nodeFetch: the URL must be an absolute http: or https: URL without credentials.");
    }
    url.hash = "";
    const route = this.#routeOf(url);
    const headers = ["host", url.host];
    const path = `${url.pathname}${url.search}`;
    if (route.proxy === undefined || route.tls !== undefined) return { href: url.href, route, path, headers };
    // The proxy reads a plain request itself, and its line names the whole URL (RFC 9112, 3.2.2).
    const { authorization } = route.proxy;
    if (authorization !== undefined) headers.push("proxy-authorization", authorization);
    return { href: url.href, route, path: url.href, headers };
  }

  #routeOf(url: URL): Route {
    const known = this.#routes.get(url.origin);
    if (known !== undefined) return known;
    const isSecure = url.protocol === "https:";
    const route: Route = {
      host: hostOf(url),
      port: Number(url.port) || (isSecure ? 443 : 80),
      tls: isSecure ? this.#tls : undefined,
      proxy: this.#proxyFor(url),
    };
    keep(this.#routes, url.origin, route);
    return route;
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= maxKept) map.clear();
  map.set(key, value);
}
