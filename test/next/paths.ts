import { fileURLToPath } from "node:url";

/** The package. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** An application that calls the service. It gets Next.js from the other one. */
export const lookUps = fileURLToPath(new URL("look-ups/", import.meta.url));
/** The application, which has its own package.json and lock file. */
export const application = fileURLToPath(new URL("../../examples/webhooks-next/", import.meta.url));
