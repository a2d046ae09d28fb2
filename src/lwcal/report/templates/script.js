(() => {
  const data = JSON.parse(at("data").textContent);
  const percent = (share) => Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "–";

  const frameOf = (svg) => {
    const { left, right, top, bottom } = svg.dataset;
    const box = { left: +left, right: +right, top: +top, bottom: +bottom };
    box.x = (share) => box.left + share * (box.right - box.left);
    box.y = (share) => box.bottom - share * (box.bottom - box.top);
    return box;
  };

  // the map: score to probability
  const mapChart = at("map-chart");
  const mapFrame = frameOf(mapChart);
  const probability = (score) => {
    const place = clamp(score, 0, 1) * (data.map.length - 1);
    const low = Math.min(Math.floor(place), data.map.length - 2);
    return data.map[low] + (place - low) * (data.map[low + 1] - data.map[low]);
  };
  const shareAt = (svg, box, event) => {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return clamp((place.x - box.left) / (box.right - box.left), 0, 1);
  };
  const point = (score) => {
    const [line, dot] = at("map-cursor").children;
    at("map-cursor").setAttribute("visibility", "visible");
    ["x1", "x2"].forEach((name) => line.setAttribute(name, mapFrame.x(score)));
    dot.setAttribute("cx", mapFrame.x(score));
    dot.setAttribute("cy", mapFrame.y(probability(score)));
  };
  const lookUp = () => {
    const score = at("lookup-score").valueAsNumber;
    const valid = score >= 0 && score <= 1;
    at("lookup-result").textContent = valid ? percent(probability(score)) : "enter a score from 0 to 1";
    if (valid) point(score);
  };
  mapChart.addEventListener("pointermove", (event) => {
    const score = shareAt(mapChart, mapFrame, event);
    point(score);
    showTip(`score ${score.toFixed(3)} → probability ${probability(score).toFixed(3)}`, event);
  });
  mapChart.addEventListener("pointerleave", () => { hideTip(); lookUp(); });
  at("lookup-score").addEventListener("input", lookUp);
  lookUp();

  // thresholds: sums over bins at and above each threshold
  const sides = ["before", "after"];
  const above = (counts) => {
    const sums = [0];
    for (let k = counts.length - 1; k >= 0; k -= 1) sums.unshift(sums[0] + counts[k]);
    return sums;
  };
  const tails = Object.fromEntries(sides.map((side) => [side, {
    weight: above(data[side].weight), positives: above(data[side].positives),
  }]));
  const steps = data.edges.length;
  const named = (step) => String(data.edges[step]);
  const nearest = (value) => data.edges.reduce((best, edge, k) => Math.abs(edge - value) < Math.abs(data.edges[best] - value) ? k : best, 0);
  const cost = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
  const outcome = (side, step, alarm, miss) => {
    const { weight, positives } = tails[side];
    return {
      precision: positives[step] / weight[step],
      recall: positives[step] / positives[0],
      load: weight[step] / weight[0],
      cost: 1000 * (alarm * (weight[step] - positives[step]) + miss * (positives[0] - positives[step])) / weight[0],
    };
  };
  const chart = at("cost-chart");
  const frame = frameOf(chart);
  const price = (id) => { const value = at(id).valueAsNumber; return value >= 0 ? value : 0; };
  const ceiling = (value) => {
    const power = 10 ** Math.floor(Math.log10(value));
    return power * [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * (1 - 1e-9));
  };
  const drawCost = (curves, best, step) => {
    const most = ceiling(Math.max(...sides.flatMap((side) => curves[side])) || 1);
    sides.forEach((side) => {
      const line = curves[side].map((value, k) => `${frame.x(k / steps).toFixed(1)} ${frame.y(value / most).toFixed(1)}`);
      at(`cost-${side}`).setAttribute("d", `M${line.join("L")}`);
    });
    const mark = (side) => [frame.x(best[side] / steps), frame.y(curves[side][best[side]] / most)];
    const [squareX, squareY] = mark("before");
    at("best-before").setAttribute("x", squareX - 4.5);
    at("best-before").setAttribute("y", squareY - 4.5);
    const [dotX, dotY] = mark("after");
    at("best-after").setAttribute("cx", dotX);
    at("best-after").setAttribute("cy", dotY);
    ["x1", "x2"].forEach((name) => at("cost-rule").setAttribute(name, frame.x(step / steps)));
    const ticks = [...chart.querySelectorAll("text[text-anchor=end]")];
    ticks.forEach((text, k) => { text.textContent = cost(most * k / 2); });
  };
  let bestAfter = 0;
  const explore = () => {
    const step = +at("threshold").value;
    const [alarm, miss] = [price("cost-alarm"), price("cost-miss")];
    const curves = {};
    const best = {};
    sides.forEach((side) => {
      curves[side] = data[side].weight.map((_, k) => outcome(side, k, alarm, miss).cost);
      best[side] = curves[side].indexOf(Math.min(...curves[side]));
      const found = outcome(side, step, alarm, miss);
      ["precision", "recall", "load"].forEach((name) => { at(`${name}-${side}`).textContent = percent(found[name]); });
      at(`outcome-cost-${side}`).textContent = cost(found.cost);
      at(`best-threshold-${side}`).textContent = named(best[side]);
      at(`least-${side}`).textContent = cost(curves[side][best[side]]);
    });
    bestAfter = best.after;
    drawCost(curves, best, step);
    at("threshold").setAttribute("aria-valuetext", named(step));
    at("explorer-status").textContent = `At ${named(step)}, after calibration: precision ${at("precision-after").textContent}, recall ${at("recall-after").textContent}, review load ${at("load-after").textContent}.`;
  };
  const setStep = (step) => {
    at("threshold").value = step;
    at("threshold-number").value = named(step);
    explore();
  };
  at("threshold").addEventListener("input", () => setStep(+at("threshold").value));
  at("threshold-number").addEventListener("input", () => {
    const value = at("threshold-number").valueAsNumber;
    if (!(value >= 0 && value <= 1)) return;
    at("threshold").value = nearest(value); // do not overwrite what is being typed
    explore();
  });
  at("threshold-number").addEventListener("change", () => setStep(+at("threshold").value));
  ["cost-alarm", "cost-miss"].forEach((id) => at(id).addEventListener("input", explore));
  at("use-best").addEventListener("click", () => setStep(bestAfter));
  const stepAt = (event) => Math.min(Math.round(shareAt(chart, frame, event) * steps), steps - 1);
  chart.addEventListener("pointermove", (event) => {
    const step = stepAt(event);
    const [before, after] = sides.map((side) => cost(outcome(side, step, price("cost-alarm"), price("cost-miss")).cost));
    showTip(`threshold ${named(step)}: cost ${before} before, ${after} after`, event);
  });
  chart.addEventListener("pointerleave", hideTip);
  chart.addEventListener("click", (event) => setStep(stepAt(event)));
  setStep(nearest(0.5));

  // labels to check: sort by a column, search in all columns; a report on a table has none
  const table = at("suspect-table");
  if (table) {
    const body = table.tBodies[0];
    const headers = [...table.tHead.rows[0].cells];
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    const sortBy = (header) => {
      const column = headers.indexOf(header);
      const isNumber = header.dataset.kind === "number";
      const now = header.getAttribute("aria-sort");
      const next = now ? (now === "ascending" ? "descending" : "ascending") : (isNumber ? "descending" : "ascending");
      const sign = next === "ascending" ? 1 : -1;
      const value = (row) => row.cells[column].textContent;
      const order = isNumber ? (a, b) => parseFloat(value(a)) - parseFloat(value(b)) : (a, b) => compare(value(a), value(b));
      body.append(...[...body.rows].sort((a, b) => sign * order(a, b)));
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", next);
    };
    table.tHead.addEventListener("click", (event) => {
      const button = event.target.closest(".sort");
      if (button) sortBy(button.closest("th"));
    });
    const search = () => {
      const wanted = at("search").value.trim().toLowerCase();
      let found = 0;
      [...body.rows].forEach((row) => {
        const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
        row.hidden = !text.includes(wanted);
        found += row.hidden ? 0 : 1;
      });
      at("search-status").textContent = wanted ? `${found} of ${body.rows.length} rows` : "";
    };
    at("search").addEventListener("input", search);
    show("search-box");
  }

  show("lookup", "explorer");
})();
