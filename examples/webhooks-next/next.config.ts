import { join } from "node:path";

export default {
  // No answer names a technology.
  poweredByHeader: false,
  // serviceapi is linked from this repository; an application that has installed it leaves this out.
  turbopack: { root: join(import.meta.dirname, "../..") },
};
