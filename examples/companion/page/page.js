// The companion's page. What is shown as the plan is what is sent: any change of the form throws the plan away.

const element = (id) => document.getElementById(id);
const form = element("form");
const POLL_MS = 500;

let plan;
let watching = 0;

async function ask(path, body) {
  const reply = await fetch(path, body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const value = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(value.error), value);
  return value;
}

/** Shows what went wrong, beside the field it is about if it is about one. */
async function attempt(act) {
  element("problem").textContent = "";
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  try {
    await act();
  } catch (error) {
    const asked = error.asked?.map(({ effect, node_ids: nodes }) => `${effect} by ${nodes.join(", ")}`).join("; ");
    element("problem").textContent = asked ? `${error.message} It asks for: ${asked}.` : error.message;
    const field = error.field && element(error.field);
    if (field) {
      field.setAttribute("aria-invalid", "true");
      field.focus();
    }
  }
}

function read() {
  const granularity = element("granularity").value;
  return {
    title: element("title").value,
    points: element("points").value.split("\n"),
    urgent: element("urgent").checked,
    ...(granularity && { granularity }),
  };
}

function forget() {
  if (!plan) return;
  plan = undefined;
  element("plan").hidden = true;
  element("status").textContent = "The form has changed: the plan is not valid any more.";
}

const STATES = {
  there: "It is in Segue.",
  missing: "It is not in Segue yet.",
  conflict: "Something else of this name is saved in Segue. Rename or delete that first.",
};

function show(made) {
  plan = made;
  element("status").textContent = "";
  element("plan-flow").textContent = `${made.flow_id}. ${STATES[made.flow]}`;
  const differs = made.granularity === made.suggested ? "as suggested" : `suggested: ${made.suggested}`;
  element("plan-granularity").textContent = `${made.granularity} (${differs}). ${made.because}`;
  element("plan-inputs").textContent = JSON.stringify(made.inputs, null, 2);
  element("plan-effects").replaceChildren(
    ...made.effects.map(({ node_id: node, title, effects }) => {
      const row = document.createElement("tr");
      row.append(...[node, title, effects.join(", ")].map((text) => cell(text)));
      return row;
    }),
  );
  const writers = made.effects.filter((one) => one.node_id !== "publish" && one.effects.includes("write_local"));
  element("confirm-text").textContent = made.needs_authorization
    ? `I have read the plan. ${writers.map((one) => `“${one.node_id}”`).join(", ")} may write into Segue's workspace.`
    : "I have read the plan. Nothing is written into the workspace.";
  element("confirm").checked = false;
  element("install-row").hidden = made.flow !== "missing";
  element("confirm-row").hidden = made.flow !== "there";
  element("start").hidden = made.flow !== "there";
  element("start").disabled = true;
  element("plan").hidden = false;
}

function cell(text) {
  const made = document.createElement("td");
  made.textContent = text;
  return made;
}

async function makePlan() {
  const asked = read();
  const made = await ask("/plan", asked);
  // What was typed meanwhile has no plan yet.
  if (JSON.stringify(read()) === JSON.stringify(asked)) show(made);
}

async function start() {
  element("start").disabled = true;
  const { plan_id } = plan;
  const confirmed = element("confirm").checked;
  // The next run is confirmed anew.
  element("confirm").checked = false;
  const admitted = await ask("/run", { plan_id, confirmed });
  element("artifact").hidden = true;
  element("run-failure").hidden = true;
  element("run").hidden = false;
  element("run-id").textContent = admitted.run_id;
  element("stop").onclick = () => attempt(() => ask(`/runs/${admitted.run_id}/cancel`, { flow_id: admitted.flow_id }));
  await watch(admitted.run_id);
}

async function watch(run) {
  watching += 1;
  const own = watching;
  for (;;) {
    const outcome = await ask(`/runs/${run}`);
    // Another run is being watched.
    if (own !== watching) return;
    showOutcome(outcome);
    if (outcome.finished_at !== null) {
      for (const artifact of outcome.artifacts) await verify(artifact);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function showOutcome({ status, progress, nodes, failure, finished_at: ended }) {
  element("run-status").textContent = status;
  element("run-progress").max = progress.total_nodes;
  element("run-progress").value = progress.settled_nodes;
  element("stop").hidden = ended !== null;
  element("run-nodes").replaceChildren(
    ...nodes.map((node) => {
      const item = document.createElement("li");
      item.textContent = `${node.node_id}: ${node.status}`;
      return item;
    }),
  );
  element("run-failure").hidden = failure === null;
  if (failure) {
    const repair = failure.repair_from_node_id ? ` What to mend was made by ${failure.repair_from_node_id}.` : "";
    element("run-failure").textContent = `${failure.code} at ${failure.node_id ?? "the run"}.${repair}`;
  }
}

async function verify({ artifact_id: id, name, sha256 }) {
  const reply = await fetch(`/artifacts/${encodeURIComponent(id)}`);
  if (!reply.ok) throw new Error((await reply.json()).error);
  const bytes = await reply.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const own = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  element("artifact").hidden = false;
  element("artifact-name").textContent = name;
  element("artifact-sha").textContent = own;
  element("artifact-verdict").textContent =
    own === sha256 ? "Verified: these are the bytes that the run published." : `Not what the run published (${sha256}).`;
  element("artifact-verdict").className = own === sha256 ? "good" : "bad";
  element("artifact-text").textContent = new TextDecoder().decode(bytes);
}

form.addEventListener("input", forget);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(makePlan);
});
element("install").addEventListener("click", () =>
  attempt(async () => {
    await ask("/install", { plan_id: plan.plan_id });
    await makePlan();
  }),
);
element("confirm").addEventListener("change", (event) => {
  element("start").disabled = !event.target.checked;
});
element("start").addEventListener("click", () => attempt(start));
