export { ipAllowList } from "./auth/ip-allow-list.ts";
