import { nonEmptyString } from "./options.ts";

/** The vendor of the schemas that accept what no schema describes. */
export const noSchema = "none";

/** The schema of a body without one. */
export const anyBody = { "~standard": { version: 1, vendor: noSchema, validate: (value: unknown) => ({ value }) } };

/** The schema of params without one. A reference that is empty, or no string, could not be looked up. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: noSchema,
    validate(value: unknown) {
      const reference: unknown = Object(value).client_referenceId ?? undefined;
      const complaint = reference === undefined ? undefined : nonEmptyString(reference, "client_referenceId");
      return complaint === undefined ? { value } : { issues: [{ path: ["client_referenceId"], message: complaint }] };
    },
  },
};
