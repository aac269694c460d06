/** The entry point `serviceapi/node`: a fetch, a journal in a file, and adapters for servers on Node's own modules. */
export { fileJournal } from "../flights/journal/file.ts";
export { type LambdaResult, lambdaHandler } from "../webhooks/adapters/lambda.ts";
export {
  fastifyWebhook,
  koaHandler,
  nodeHandler,
} from "../webhooks/adapters/node.ts";
export { type NodeFetch, type NodeFetchOptions, nodeFetch } from "./node-fetch.ts";
