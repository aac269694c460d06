import { type Rules, readOptions } from "../shared/options.ts";
import { hostOf, registrable, withoutWww } from "./domain.ts";
import { type CallbackUrlProblem, type CallbackUrlProblemCode, findProblems } from "./rules.ts";

/** The result of a check. */
export interface CallbackUrlReport<Code = CallbackUrlProblemCode> {
  /** True if no problem was found. */
  readonly ok: boolean;
  /** The problems that were found. */
  readonly problems: readonly CallbackUrlProblem<Code>[];
  /**
   * The requirements of §6.6 that were not checked: whether the host is on the whitelisted website, if `websiteDomain`
   * is not set, and what only a connection can show.
   */
  readonly unchecked: readonly ("websiteDomain" | "connection")[];
}

/** Options of {@link checkCallbackUrl}. */
export interface CallbackUrlOptions {
  /** The brand domain that is registered in the account, such as `example.in`. */
  readonly brandDomain: string;
  /**
   * The whitelisted website domain, which may differ from the brand domain. Without it, the check does not cover the
   * website. A leading `www.` is ignored (docs/assumptions.md, W19). @default not checked
   */
  readonly websiteDomain?: string | undefined;
}

export const callbackUrlRules: Rules<CallbackUrlOptions> = {
  brandDomain: registrable,
  websiteDomain: registrable,
};

/**
 * Checks whether the service would accept a callback URL (§6.6; docs/assumptions.md, W19). Nothing is sent or looked
 * up.
 *
 * @param url - The URL to register.
 * @param options - See {@link CallbackUrlOptions}.
 * @throws ConfigurationError for an unknown option, and for a `brandDomain` or `websiteDomain` that is not a domain.
 *
 * @example
 * ```ts
 * import { checkCallbackUrl } from "serviceapi/callback-url";
 *
 * const { ok, problems, unchecked } = checkCallbackUrl("https://pay.example.in/hook", { brandDomain: "example.in" });
 * console.log(ok, problems, unchecked); // true [] [ 'websiteDomain', 'connection' ]
 * ```
 */
export function checkCallbackUrl(url: string, options: CallbackUrlOptions): CallbackUrlReport {
  return checkOffline(url, readOptions("checkCallbackUrl", options, callbackUrlRules, ["brandDomain"]));
}

export function checkOffline(url: string, { brandDomain, websiteDomain }: CallbackUrlOptions): CallbackUrlReport {
  const brand = hostOf(brandDomain);
  const website = websiteDomain === undefined ? undefined : withoutWww(hostOf(websiteDomain));
  const problems = findProblems(url, brand, website);
  return {
    ok: problems.length === 0,
    problems,
    unchecked: website === undefined ? ["websiteDomain", "connection"] : ["connection"],
  };
}
