import type { AreaName } from "../../area.ts";
import { defaultSessionLifetime } from "../../flights/types/tokens.ts";
import { defaults } from "../../options.ts";
import { type Framing, framings } from "../ai/framing.ts";
import type { EmulatorOptions } from "../options.ts";

/** The options of the service, with every default filled in. */
export interface Settings {
  readonly pace: number;
  readonly framing: Framing;
  readonly strict: boolean;
  readonly sessionLifetime: number;
  readonly retryAfter: number;
  readonly failureStatus: "asCode" | 200 | undefined;
  readonly pathPrefixes: Readonly<Partial<Record<AreaName, string | undefined>>>;
}

/** Returns the settings of checked options. */
export function resolveSettings(options: EmulatorOptions): Settings {
  return {
    pace: options.pace ?? 15,
    framing: framings[options.framing ?? "sse"],
    strict: options.strict ?? true,
    sessionLifetime: options.sessionLifetime ?? defaultSessionLifetime,
    retryAfter: options.retryAfter ?? 2_000,
    failureStatus: options.failureStatus,
    pathPrefixes: { ...defaults.pathPrefixes, ...options.pathPrefixes },
  };
}
