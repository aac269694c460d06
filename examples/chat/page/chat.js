import { renderMarkdown } from "./markdown.js";

const id = crypto.randomUUID();
/** The number of complete turns that this page shows. */
let turnCount = 0;
const [turns, form, text, send, stop] = ["turns", "ask", "text", "send", "stop"].map((name) =>
  document.getElementById(name),
);
/** The notes on a response that is not complete, so that it never looks like a complete one. */
const notes = {
  aborted: "Stopped.",
  failed: "The answer could not be completed.",
  truncated: "The answer was cut short.",
};
/** The kinds of error that are told apart. Every other one, such as a refusal, is a failure. */
const states = { abort: "aborted", stream_truncated: "truncated", stream_stalled: "truncated" };

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const question = text.value;
  form.reset();
  add("user").textContent = question;
  const answer = add("answer");
  const controller = new AbortController();
  stop.onclick = () => controller.abort();
  setBusy(true);
  answer.dataset.state = "streaming";
  answer.dataset.state = await ask(question, answer, controller.signal);
  const note = notes[answer.dataset.state];
  if (note !== undefined) add("note").textContent = note;
  setBusy(false);
});

/** Shows the response as it arrives, and returns how it ended. */
async function ask(question, answer, signal) {
  let markdown = "";
  const show = (whole) => {
    markdown = whole;
    answer.replaceChildren(renderMarkdown(markdown));
    scrollTo(0, document.body.scrollHeight);
  };
  try {
    const response = await fetch(`/chat/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: question, turns: turnCount }),
      signal,
    });
    if (!response.ok) return "failed";
    for await (const event of eventsOf(response)) {
      if (event.event === "response_output") show(markdown + event.system.text_chunk);
      if (event.event === "response_completed") {
        // The completed text counts: the chunks may differ from it, or there may have been none.
        show(event.system.text);
        turnCount++;
        return "completed";
      }
      if (event.event === "stream_error") return states[event.kind] ?? "failed";
    }
    return "truncated";
  } catch {
    return signal.aborted ? "aborted" : "truncated";
  }
}

/** Yields the events of a relay: each `data:` line is one, and heartbeats have none. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    // Looked at once each: an event may arrive in thousands of parts.
    const lines = part.value.split("\n");
    for (const end of lines.splice(0, lines.length - 1)) {
      const line = rest + end;
      rest = "";
      if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length));
    }
    rest += lines[0];
  }
}

function add(name) {
  const element = document.createElement("div");
  element.className = name;
  return turns.appendChild(element);
}

function setBusy(isBusy) {
  send.hidden = isBusy;
  stop.hidden = !isBusy;
  text.disabled = isBusy;
  if (!isBusy) text.focus();
}
