export { type NodeFetch, type NodeFetchOptions, nodeFetch, type TlsOptions } from "./node-fetch.ts";
