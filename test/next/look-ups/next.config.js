import { join } from "node:path";

// Next.js and serviceapi are linked from this repository.
export default { turbopack: { root: join(import.meta.dirname, "../../..") } };
