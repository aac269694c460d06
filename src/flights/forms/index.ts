/** The entry point `serviceapi/flights/forms`: the passengers of a quote as a form, and their issues by its inputs. */
export { type FormField, type PassengerForm, passengerForm, readPassengerForm, type TypedPassenger } from "./form.ts";
export {
  type FormIssue,
  type FormIssues,
  type FormText,
  type FormTextKey,
  formIssues,
  formTextKeys,
} from "./issues.ts";
