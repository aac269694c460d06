import { join } from "node:path";

export default {
  // No response names a technology.
  poweredByHeader: false,
  // serviceapi is linked from this repository. An application that has installed it does not need this.
  turbopack: { root: join(import.meta.dirname, "../..") },
};
