import { fileURLToPath } from "node:url";

/** The package. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** The application, which has its own package.json and lock file. */
export const application = fileURLToPath(new URL("../../examples/webhooks-next/", import.meta.url));
