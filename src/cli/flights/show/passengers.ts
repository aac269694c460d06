import { formatPath } from "../../../errors/issues.ts";
import type { PassengerIssue } from "../../../flights/passengers/index.ts";
import { field, stringOf } from "../../../shared/json.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { type Column, formatColumns } from "../../shared/columns.ts";
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
  return formatColumns(columns, rows);
}

/** Formats issues of passengers line by line, such as `passengers[0].dob: … (code)`. */
export function formatIssues(issues: readonly PassengerIssue[]): string {
  return issues
    .map(({ path, message, code, severity, suggestion }) => {
      const text = `${severity}: ${formatPath(path)}: ${message} (${code})`;
      return cleanLine(suggestion === undefined ? text : `${text} Perhaps ${suggestion}.`);
    })
    .join("\n");
}

/** Leaves the suggestions out, which are names and dates of people. */
export function withoutSuggestions(issues: readonly PassengerIssue[]): PassengerIssue[] {
  return issues.map(({ suggestion, values, ...issue }) => issue);
}
