import { formatPath } from "../../../errors/issues.ts";
import type { PassengerIssue } from "../../../flights/passengers/index.ts";
import { field, stringOf } from "../../../shared/json.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { type Column, formatTable } from "../../shared/table.ts";
import { terminalMessage } from "../../shared/terminal-message.ts";
import { projectPassenger } from "./projection.ts";

const columns: readonly Column[] = [
  { title: "#" },
  { title: "Type" },
  { title: "Name" },
  { title: "Born" },
  { title: "Mobile" },
  { title: "E-mail" },
];

/** Formats passengers for a terminal: masked unless `showPii`. */
export function formatPassengers(passengers: readonly unknown[], showPii: boolean): string {
  const rows = passengers.map((passenger, i) => {
    const shown = showPii ? passenger : projectPassenger(passenger);
    const cell = (name: string) => cleanLine(stringOf(field(shown, name)));
    const name = ["title", "fname", "lname"].map(cell).filter(Boolean).join(" ");
    return [`${i}`, cell("passenger_type"), name, cell("dob"), cell("mobile"), cell("email")];
  });
  return formatTable(columns, rows);
}

/** Formats issues of passengers line by line, such as `passengers[0].dob: … (code)`. */
export function formatIssues(issues: readonly PassengerIssue[]): string {
  return issues
    .map((issue) => {
      const { path, code, severity, suggestion } = issue;
      const text = `${severity}: ${formatPath(path)}: ${messageOf(issue)} (${code})`;
      return cleanLine(suggestion === undefined ? text : `${text} Perhaps ${suggestion}.`);
    })
    .join("\n");
}

/** The message is for a form; these two faults are of the file, and need the name or the type of its field. */
function messageOf({ problem, message, developerMessage }: PassengerIssue): string {
  const isOfFile = problem === "unknown_field" || problem === "invalid_type";
  return isOfFile && developerMessage !== undefined ? terminalMessage(developerMessage) : message;
}

/** Leaves the suggestions out, which are names and dates of people. */
export function withoutSuggestions(issues: readonly PassengerIssue[]): PassengerIssue[] {
  return issues.map(({ suggestion, values, ...issue }) => issue);
}
