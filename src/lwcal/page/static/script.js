"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const SOON = 300;    // milliseconds between requests while an estimate is computed
  const LATER = 2000;  // milliseconds between requests that look for changes by others
  let state = null;
  let keys = {};  // the answer that each key gives
  let choices = [];  // the options of the list of classes; none if every class has a button
  let active = null;  // the option that was chosen with the arrow keys
  let busy = false;
  let keysOn = true;
  let timer = 0;

  // the token is stored in a cookie; remove it from the visible address
  history.replaceState(null, "", location.pathname);

  // values are always written as text, never as HTML
  const make = (name, text, ...classes) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (classes.length) made.classList.add(...classes);
    return made;
  };
  const draw = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = text;
    return made;
  };

  // use the theme of the system until the button is pressed
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const showTheme = () => at("theme").setAttribute("aria-pressed", String(isDark()));
  at("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  dark.addEventListener("change", showTheme);
  showTheme();

  // requests to the server
  const showProblem = (text) => {
    at("problem").hidden = !text;
    if (at("problem-text").textContent !== text) at("problem-text").textContent = text;
  };
  const ask = async (path, body) => {
    const options = body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    };
    const answer = await fetch(`api/${path}`, { ...options, credentials: "same-origin" });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const showError = (error) => showProblem(error instanceof TypeError
    ? "lwcal has stopped. All confirmed answers are saved. Run `lwcal audit serve` again to continue."
    : String(error.message));

  // showing the state
  const LONG = /^-?\d+\.\d{5,}$/;
  const short = (text) => {  // the sheet keeps all digits; the page shows a few
    const value = Number(text);
    return Math.abs(value) >= 1 ? value.toFixed(3) : String(Number(value.toPrecision(4)));
  };
  const showRow = (row) => {
    at("place").textContent = `Row ${row.place} of ${state.total}`;
    at("claim").hidden = !("label" in row);
    at("label").textContent = row.label || "";
    at("score").textContent = row.score || "";
    at("fields").replaceChildren(...row.fields.flatMap(([name, value]) => {
      const shown = make("div", value === "" ? "–" : LONG.test(value) ? short(value) : value, "value");
      if (LONG.test(value)) shown.title = value;
      const cells = [make("dt", name), make("dd", "")];
      cells[1].append(shown);
      cells.forEach((cell) => cell.classList.toggle("long", value.length > 24 || name.length > 24));
      return cells;
    }));
    at("fields").querySelectorAll(".value").forEach((value) => {
      if (value.scrollHeight > value.clientHeight + 1) {  // let long text scroll by keyboard too
        value.tabIndex = 0;
        value.setAttribute("role", "group");
        value.setAttribute("aria-label", value.parentElement.previousElementSibling.textContent);
      }
    });
  };
  const outcome = (text, kind = "") => {
    at("outcome").className = `outcome ${kind}`;
    at("outcome").replaceChildren(make("p", text));
  };
  const showLast = (last) => outcome(last.answer === null
    ? `Row ${last.place}: skipped.` : `Row ${last.place}: you answered ${last.answer}.`);
  const showProgress = () => {
    const done = state.answered + state.skipped;
    at("bar").max = state.total;
    at("bar").value = done;
    const skipped = state.skipped ? `, ${state.skipped} skipped` : "";
    at("count").textContent = `${state.answered} of ${state.total} checked${skipped}`;
    document.title = `${done}/${state.total} · Check labels`;
    at("undo").disabled = !state.last;
    at("reviewers").hidden = !state.reviewers.length;
    const lines = state.reviewers.map((found) => `${found.name}${found.you ? " (you)" : ""}: `
      + `${found.answered} of ${state.total} answered${found.skipped ? `, ${found.skipped} skipped` : ""}`);
    at("reviewers").replaceChildren(...lines.map((line) => make("li", line)));
  };
  const measure = (found) => {
    const box = make("div", "");
    const value = make("dd", `${found.value} `);
    value.append(make("span", found.interval, "quiet"));
    box.append(make("dt", found.name), value);
    if (found.ends) {
      const [low, middle, high] = found.ends.map((share) => 100 * share);
      const bar = draw("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
      bar.append(
        draw("line", { class: "grid", x1: 0, x2: 100, y1: 4, y2: 4 }),
        draw("line", { class: "range", x1: low, x2: Math.max(high, low + 0.5), y1: 4, y2: 4 }),
        draw("line", { class: "rule", x1: middle, x2: middle, y1: 0, y2: 8 }),
      );
      box.append(bar);
    }
    return box;
  };
  const showChart = (chart) => {
    const middle = (chart.top + chart.bottom) / 2;
    const svg = at("chart");
    svg.setAttribute("viewBox", `0 0 ${chart.width} ${chart.height}`);
    svg.replaceChildren(
      ...chart.yTicks.flatMap(([y, text]) => [
        draw("line", { class: "grid", x1: chart.left, x2: chart.right, y1: y, y2: y }),
        draw("text", { class: "tick", x: chart.left - 6, y: y + 3.5, "text-anchor": "end" }, text),
      ]),
      ...chart.xTicks.map(([x, text]) =>
        draw("text", { class: "tick", x, y: chart.bottom + 15, "text-anchor": "middle" }, text)),
      draw("text", { x: (chart.left + chart.right) / 2, y: chart.bottom + 31, "text-anchor": "middle" }, "Score"),
      draw("text", { x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})` }, "Share of positives"),
      draw("path", { class: "diagonal", d: chart.diagonal }),
      draw("path", { class: "band after", d: chart.band }),
      draw("path", { class: "line after", d: chart.line }),
    );
  };
  // the server sends no estimate before the last row is answered
  const showEstimate = (found) => {
    at("result").hidden = !found;
    at("columns").classList.toggle("finished", Boolean(found));
    if (!found) return;
    const { ready, estimates, reason } = found;
    const enough = Boolean(estimates && estimates.enough);
    const word = estimates ? estimates.word : "All planned rows are answered";
    const sentence = !ready ? "The estimate is computed now." : estimates ? estimates.sentence : reason;
    // screen readers announce every write to a status, so write only what has changed
    if (at("verdict-word").textContent !== word) at("verdict-word").textContent = word;
    if (at("sentence").textContent !== sentence) at("sentence").textContent = sentence;
    at("verdict").className = `verdict ${enough ? "good" : "neutral"}`;
    at("verdict-icon").textContent = enough ? "✓" : "…";
    at("estimate").hidden = !estimates;
    if (!estimates) return;
    at("measures").replaceChildren(...estimates.measures.map(measure));
    at("errors").replaceChildren(...estimates.errors.map(measure));
    at("curve").hidden = !estimates.chart;
    if (estimates.chart) showChart(estimates.chart);
  };

  const show = (found, { focus = false } = {}) => {
    const before = state;
    state = found;
    showProblem(state.problem);
    const moved = !before || (before.next && before.next.row) !== (state.next && state.next.row)
      || before.total !== state.total;
    at("row").hidden = !state.next;
    at("done").hidden = Boolean(state.next);
    at("question").hidden = !state.next;
    at("answers").querySelectorAll("button:not(#undo)").forEach((button) => { button.disabled = !state.next; });
    at("finder").hidden = !choices.length || !state.next;
    if (moved && state.next) {
      showRow(state.next);
      clearSearch();
    }
    if (!state.next) {
      at("done-text").textContent = `${state.answered} checked, ${state.skipped} skipped.`;
      at("reopen").hidden = !state.skipped;
    }
    showProgress();
    if (!before || JSON.stringify(before.estimate) !== JSON.stringify(state.estimate)) showEstimate(state.estimate);
    if (focus && moved) {
      at(!state.next ? "done-title" : choices.length ? "search" : "place").focus({ preventScroll: true });
      scrollTo({ top: 0 });
    }
    return moved;
  };

  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, state && state.estimate && !state.estimate.ready ? SOON : LATER);
  };
  const refresh = async () => {
    if (!busy && !document.hidden) {
      try {
        const found = await ask("state");
        // an answer that was given in the meantime has already shown a newer state
        if (!busy && found.revision >= state.revision) {
          const elsewhere = found.revision > state.revision;
          const moved = show(found);
          if (elsewhere && moved) outcome("This row was answered in another window or program. The next row is shown.");
        }
      } catch (error) { showError(error); }
    }
    schedule();
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

  // one change at a time; it is shown after it is saved
  const change = async (path, body, confirm) => {
    if (busy) return;
    busy = true;
    try {
      const found = await ask(path, body);
      const moved = show(found, { focus: true });
      if (found.refused) outcome(found.refused + (moved ? " The next row is shown." : ""), "refused");
      else confirm(found);
    } catch (error) { showError(error); }
    busy = false;
    schedule();
  };
  const answer = (word) => {
    if (!state || !state.next) return;
    change("answer", { row: state.next.row, answer: word, seen: "" }, (found) => showLast(found.last));
  };
  const undo = () => {
    if (!state || !state.last) return;
    const { row, place, cell } = state.last;
    change("undo", { row, seen: cell }, () => outcome(`Row ${place} is open again.`));
  };
  at("skip").addEventListener("click", () => answer("skip"));
  at("undo").addEventListener("click", undo);
  at("reopen").addEventListener("click", () =>
    change("reopen", {}, () => outcome("The skipped rows are open again.")));

  // single keys can be turned off, for people who use speech input
  at("keys").addEventListener("click", () => {
    keysOn = !keysOn;
    at("keys").setAttribute("aria-pressed", String(keysOn));
    document.body.classList.toggle("keys-off", !keysOn);
  });
  document.addEventListener("keydown", (event) => {
    if (!keysOn || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (choices.length) {  // letters belong to the search
      if (event.key.length === 1 && event.key !== " " && !at("finder").hidden) at("search").focus();
      return;
    }
    const key = event.key.toLowerCase();
    if (Object.hasOwn(keys, key)) answer(keys[key]);
    else if (key === "u") undo();
    else return;
    event.preventDefault();
  });

  // many classes are searched in a list; only a class that is meant without doubt answers
  const shownChoices = () => choices.filter((choice) => !choice.hidden);
  const activate = (choice) => {
    if (active) active.setAttribute("aria-selected", "false");
    active = choice;
    if (!active) return at("search").removeAttribute("aria-activedescendant");
    active.setAttribute("aria-selected", "true");
    active.scrollIntoView({ block: "nearest" });
    at("search").setAttribute("aria-activedescendant", active.id);
  };
  const filter = () => {
    const part = at("search").value.trim().toLowerCase();
    choices.forEach((choice) => { choice.hidden = !choice.textContent.toLowerCase().includes(part); });
    activate(null);
  };
  const clearSearch = () => {
    at("search").value = "";
    filter();
  };
  const meant = () => {
    const typed = at("search").value.trim().toLowerCase();
    if (active || !typed) return active;
    const left = shownChoices();
    return left.find((choice) => choice.textContent.trim().toLowerCase() === typed) || (left.length === 1 ? left[0] : null);
  };
  const move = (step) => {
    const left = shownChoices();
    if (!left.length) return;
    const place = left.indexOf(active);
    activate(left[place < 0 ? (step > 0 ? 0 : left.length - 1) : (place + step + left.length) % left.length]);
  };
  at("search").addEventListener("input", filter);
  at("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape") clearSearch();
    else if (event.key === "Enter" && !event.repeat) {
      const chosen = meant();
      if (chosen) answer(chosen.dataset.answer);
      else outcome(shownChoices().length ? "Type more, or choose a class with the arrow keys." : "No class has this in its name.");
    } else return;
    event.preventDefault();
  });
  const showChoice = ({ answer: word, name }) => {
    const option = make("li", name);
    option.id = word;
    option.dataset.answer = word;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.addEventListener("click", () => answer(word));
    return option;
  };

  // the order of the buttons is that of the names of the classes
  const showButton = ({ answer: word, name, meaning, key }) => {
    const button = make("button", "", "answer");
    button.type = "button";
    button.id = word;
    button.append(make("span", name, "word"), " ", make("span", meaning, "small"), " ", make("kbd", key.toUpperCase()));
    button.setAttribute("aria-keyshortcuts", key);
    button.addEventListener("click", () => answer(word));
    at("skip").before(button);
  };
  const showClasses = ({ buttons, classes }) => {
    buttons.forEach(showButton);
    at("answers").classList.toggle("two", buttons.length === 2);
    document.body.classList.toggle("many", buttons.length !== 2);
    choices = classes.map(showChoice);
    at("found").replaceChildren(...choices);
    if (!choices.length) return;
    at("keys").hidden = true;  // letters belong to the search
    document.body.classList.add("keys-off");
    ["skip", "undo"].forEach((id) => at(id).removeAttribute("aria-keyshortcuts"));
  };
  const start = async () => {
    try {
      const texts = await ask("texts");
      at("file").textContent = texts.file;
      at("sheet").textContent = texts.sheet;
      at("command").textContent = texts.command;
      at("question").textContent = texts.question;
      if (texts.reviewer !== null) {
        at("reviewer").textContent = `as ${texts.reviewer}`;
        at("about").textContent = "All labels, if every answer of yours is right";
        at("then").textContent = "All your answers are saved. When all reviewers have answered, run in the terminal:";
      }
      keys = { ...texts.keys, s: "skip" };
      showClasses(texts);
      show(await ask("state"));
      if (state.last) showLast(state.last);
      else outcome(choices.length ? "Type the class of this row." : "Answer with the buttons or with the keys shown on them.");
    } catch (error) { showError(error); }
    schedule();
  };
  start();
})();
