export { normalizeMobile } from "./mobile.ts";
export { findVpas } from "./operations.ts";
export type { FindVpasParams, VpaResult } from "./types.ts";
export { isUsable } from "./usable.ts";
export { Verification } from "./verification.ts";
