export { ConfigurationError } from "../errors/request.ts";
export { type CallbackUrlReport, checkCallbackUrl } from "./check.ts";
export { checkCallbackUrlLive } from "./live.ts";
export type { CallbackUrlProblem } from "./rules.ts";
