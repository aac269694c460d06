export { ConfigurationError } from "../errors/request.ts";
export { type CallbackUrlOptions, type CallbackUrlReport, checkCallbackUrl } from "./check.ts";
export { checkCallbackUrlLive, type LiveCheckOptions, type LiveProblemCode } from "./live.ts";
export type { CallbackUrlProblem, CallbackUrlProblemCode } from "./problem.ts";
