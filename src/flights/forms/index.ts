/** The entry point `serviceapi/flights/forms`: the passengers of a quote as a form, and their issues by its inputs. */
export type { FormField } from "./fields.ts";
export { type PassengerForm, passengerForm } from "./form.ts";
export {
  type FormIssue,
  type FormIssues,
  type FormText,
  type FormTextKey,
  formIssues,
  formTextKeys,
} from "./issues.ts";
export { readPassengerForm, type TypedPassenger } from "./read.ts";
