import { fileURLToPath } from "node:url";

/** The package. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** The application, which has a package.json and a lock file of its own. */
export const application = fileURLToPath(new URL("../../examples/webhooks-next/", import.meta.url));
