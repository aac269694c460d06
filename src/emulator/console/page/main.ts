import type { Update } from "../messages.ts";
import { showBookings } from "./bookings.ts";
import { setUpClock, showTime } from "./clock.ts";
import { post } from "./control.ts";
import { showDeliveries } from "./deliveries.ts";
import { find, onClick, setText, showProblem } from "./dom.ts";
import { Exchanges } from "./exchanges.ts";
import { setUpPayouts } from "./payouts.ts";
import { setUpRules, showActive } from "./rules.ts";

const connection = find("connection", HTMLElement);
const personal = find("personal", HTMLButtonElement);
const exchanges = new Exchanges();
let source: EventSource | undefined;

setUpClock();
setUpRules();
setUpPayouts();
onClick(find("reset", HTMLButtonElement), () => post("reset"));
onClick(personal, () => connect(personal.getAttribute("aria-checked") !== "true"));
connect(false);

/** Opens the updates, which begin with all that there is. The browser opens them again after a break. */
function connect(showsPersonalData: boolean): void {
  source?.close();
  source = new EventSource(showsPersonalData ? "/__emulator/events/personal" : "/__emulator/events");
  source.onmessage = ({ data }) => show(JSON.parse(data));
  source.onerror = () => showConnection("Not connected. Trying again …", "bad");
}

function show(update: Update): void {
  showConnection("Connected", "good");
  personal.hidden = !update.canShowPersonalData;
  personal.setAttribute("aria-checked", `${update.showsPersonalData}`);
  showTime(update.now);
  exchanges.show(update);
  if (update.state === undefined) return;
  showActive(update.state.active);
  showDeliveries(update.state.deliveries);
  showBookings(update.state.bookings);
  for (const [name, count] of Object.entries(update.state.counts)) {
    setText(find(`${name}-count`, HTMLElement), count > 0 ? `(${count})` : "");
  }
}

/** Shows the state of the connection. Once it is back, a problem that the break caused is removed. */
function showConnection(text: string, kind: "good" | "bad"): void {
  if (kind === "good" && connection.dataset.kind === "bad") showProblem("");
  setText(connection, text);
  connection.dataset.kind = kind;
}
