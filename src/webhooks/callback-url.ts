export { ConfigurationError } from "../errors/request.ts";
export {
  type CallbackUrlOptions,
  type CallbackUrlProblem,
  type CallbackUrlProblemCode,
  type CallbackUrlReport,
  checkCallbackUrl,
} from "./callback-url/check.ts";
export { checkCallbackUrlLive, type LiveCheckOptions, type LiveProblemCode } from "./callback-url/live.ts";
