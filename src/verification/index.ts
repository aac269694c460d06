export { findMany } from "./many/find-many.ts";
export type {
  FindManyOptions,
  FindManyProgress,
  FindManyResult,
} from "./many/options.ts";
export { findVpas } from "./operations.ts";
export { normalizeMobile } from "./rules.ts";
export type { FindVpasParams, VpaResult } from "./types.ts";
export { isUsable } from "./usable.ts";
export { Verification } from "./verification.ts";
