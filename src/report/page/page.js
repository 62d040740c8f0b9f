"use strict";
// The page is complete without this script: it sorts tables, and draws each plot from the table of
// numbers below it, so that plot and numbers cannot differ.
(() => {
  const charts = new Map(); // canvas -> Chart
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const series = (i) => color(`--s${i % 8}`);
  const names = []; // the same name has the same colour in every plot
  const seriesOf = (name) => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const value = (cell) => (cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : NaN);
  const heads = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = (table) => [...table.tBodies[0].rows].map((row) => [...row.cells]);

  const compact = (number) => {
    const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
    for (const [scale, unit] of units)
      if (Math.abs(number) >= scale) return `${+(number / scale).toPrecision(3)}${unit}`;
    return `${+number.toPrecision(3)}`;
  };

  // The label of a tick that is a name, not a number.
  function label(index) { return this.getLabelForValue(index); }

  const axis = (title, more) => ({
    title: { display: title !== "", text: title, color: color("--quiet") },
    grid: { color: color("--line"), drawBorder: false },
    ticks: { color: color("--quiet"), callback: (tick) => compact(tick), ...(more && more.ticks) },
    ...Object.fromEntries(Object.entries(more || {}).filter(([key]) => key !== "ticks")),
  });

  // What all plots have alike.
  const config = (type, datasets, options, legend) => ({
    type,
    data: datasets,
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, ...options,
      plugins: {
        legend: { display: legend, position: "bottom",
                  labels: { color: color("--text"), boxWidth: 14 } },
        ...(options.plugins || {}),
      },
    },
  });

  const line = (name, data, i, more) => ({
    label: name, data, borderColor: series(i), backgroundColor: series(i), borderWidth: 2, pointRadius: 2,
    spanGaps: true, ...more,
  });

  // A bar for each row, and the interval on it: a second, thin bar from its low to its high end.
  const bars = (table, figure) => {
    const turn = figure.dataset.better === "lower" ? 1 : -1;
    const data = rows(table).filter((cells) => !Number.isNaN(value(cells[1])))
      .sort((a, b) => turn * (value(a[1]) - value(b[1])));
    const labels = data.map((cells) => cells[0].textContent.trim());
    const spans = data.map((cells) => {
      const half = value(cells[2]);
      return Number.isNaN(half) ? null : [Math.max(0, value(cells[1]) - half), value(cells[1]) + half];
    });
    const datasets = [
      { label: "95 % interval", data: spans, backgroundColor: color("--text"), barThickness: 3,
        grouped: false },
      { label: heads(table)[1], data: data.map((cells) => value(cells[1])),
        backgroundColor: labels.map((name) => series(seriesOf(name))), grouped: false, maxBarThickness: 28 },
    ];
    const wrap = (name) => (name.length > 20 ? name.split(/ (?=on )/) : name);
    return {
      height: 90 + 42 * labels.length,
      config: config("bar", { labels: labels.map(wrap), datasets }, {
        indexAxis: "y",
        scales: { x: axis(heads(table)[1], { beginAtZero: true }),
                  y: axis("", { grid: { display: false },
                                ticks: { callback: label, color: color("--text") } }) },
      }, false),
    };
  };

  // Columns over the first one. `x` maps it.
  const columns = (table, x) => heads(table).slice(1).map((name, c) => line(
    name,
    rows(table).map((cells) => ({ x: x(value(cells[0])), y: value(cells[c + 1]) }))
      .filter((point) => !Number.isNaN(point.y)),
    seriesOf(name)));

  const curve = (table) => ({
    height: 340,
    config: config("line", { datasets: columns(table, (percent) => 1 / (1 - percent / 100)) }, {
      interaction: { mode: "nearest", intersect: false },
      plugins: { tooltip: { callbacks: { title: (items) =>
        `${+(100 - 100 / items[0].parsed.x).toPrecision(8)} % of the calls within` } } },
      scales: {
        x: axis("share of the calls", {
          type: "logarithmic", min: 1,
          afterBuildTicks: (scale) => {
            scale.ticks = [2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((tick) => tick <= scale.max)
              .map((tick) => ({ value: tick }));
          },
          ticks: { callback: (tick) => `${+(100 - 100 / tick).toPrecision(8)} %` },
        }),
        y: axis("latency, ms", {
          type: "logarithmic",
          afterBuildTicks: (scale) => {
            scale.ticks = scale.ticks.filter(({ value: v }) =>
              ["1", "2", "5"].includes(v.toExponential()[0]));
          },
        }),
      },
    }, true),
  });

  const scatter = (table) => {
    const groups = new Map();
    for (const cells of rows(table)) {
      const name = cells[0].textContent.trim();
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push({ x: value(cells[1]), y: value(cells[2]) });
    }
    const datasets = [...groups].map(([name, points], i) => line(
      name, points.sort((a, b) => a.x - b.x), i, { showLine: true, pointRadius: 4 }));
    return {
      height: 320,
      config: config("scatter", { datasets }, {
        scales: { x: axis(heads(table)[1], { beginAtZero: true }),
                  y: axis(heads(table)[2], { beginAtZero: true }) },
      }, true),
    };
  };

  const history = (table) => ({
    height: 300,
    config: config("line", {
      labels: rows(table).map((cells) => cells[0].textContent.trim()),
      datasets: heads(table).slice(1).map((name, c) => line(
        name, rows(table).map((cells) => value(cells[c + 1])), c, { pointRadius: 4 })),
    }, { scales: { x: axis("", { ticks: { callback: label } }),
                   y: axis("instructions for each call") } }, true),
  });

  // One quantity over time, with the measured window behind it and marks where it was throttled.
  const overTime = (table, column, start, stop) => {
    const time = (cells) => value(cells[0]);
    const points = rows(table).map((cells) => ({ x: time(cells), y: value(cells[column]) }))
      .filter((point) => !Number.isNaN(point.y));
    // The fifth colour is too near to that of the marks.
    const datasets = [line(heads(table)[column], points, column < 5 ? column - 1 : column,
                           { pointRadius: 0 })];
    const throttled = heads(table).indexOf("throttled");
    if (throttled > 0) {
      const marks = rows(table).filter((cells) => value(cells[throttled]) === 1)
        .map((cells) => ({ x: time(cells), y: value(cells[column]) }));
      if (marks.length > 0)
        datasets.unshift(line("throttled", marks, 0, {
          showLine: false, pointStyle: "triangle", pointRadius: 5,
          backgroundColor: color("--bad"), borderColor: color("--bad") }));
    }
    datasets.push({ label: "measured window", yAxisID: "window", pointRadius: 0, borderWidth: 0,
                    fill: "origin", backgroundColor: color("--window"),
                    data: [{ x: start, y: 1 }, { x: stop, y: 1 }] });
    const y = axis(heads(table)[column], { grace: "10%" });
    return {
      height: 200,
      config: config("line", { datasets }, {
        interaction: { mode: "nearest", intersect: false },
        scales: { x: axis("seconds", { type: "linear", min: 0, ticks: { maxTicksLimit: 12 } }), y,
                  window: { axis: "y", display: false, min: 0, max: 1 } },
      }, datasets.length > 2),
    };
  };

  const kinds = {
    bars: (table, figure) => [bars(table, figure)], curve: (table) => [curve(table)],
    scatter: (table) => [scatter(table)], history: (table) => [history(table)],
    time: (table, figure) => heads(table)
      .map((name, column) => ({ name, column }))
      .filter(({ name, column }) => column > 0 && name !== "throttled" &&
        rows(table).some((cells) => !Number.isNaN(value(cells[column]))))
      .map(({ column }) => overTime(table, column, Number(figure.dataset.start),
                                    Number(figure.dataset.stop))),
  };

  const draw = (figure) => {
    const holder = figure.querySelector(".canvas");
    if (figure.closest("details:not([open])")) return; // no size yet: drawn when it opens
    for (const canvas of holder.querySelectorAll("canvas")) {
      charts.get(canvas).destroy();
      charts.delete(canvas);
    }
    holder.replaceChildren();
    for (const plot of kinds[figure.dataset.plot](figure.querySelector("table"), figure)) {
      const box = document.createElement("div");
      const canvas = document.createElement("canvas");
      box.style.cssText = `position:relative;height:${plot.height}px`;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", figure.querySelector("figcaption").textContent.trim());
      box.append(canvas);
      holder.append(box);
      charts.set(canvas, new Chart(canvas, plot.config));
    }
  };
  const drawAll = () => document.querySelectorAll("figure[data-plot]").forEach(draw);

  const sort = (button) => {
    const head = button.closest("th");
    const table = head.closest("table");
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") !== "descending" &&
      (head.hasAttribute("aria-sort") || head.dataset.first === "descending");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.v !== undefined ? Number(cell.dataset.v)
        : cell.classList.contains("none") ? NaN : cell.textContent;
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return down ? -order : order;
    }));
  };

  const save = (button) => {
    const raw = document.getElementById(button.dataset.raw);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([raw.textContent], { type: "application/x-ndjson" }));
    link.download = raw.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
    }
  };

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && button.closest("thead")) sort(button);
    else if (button && button.dataset.raw) save(button);
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.open) event.target.querySelectorAll("figure[data-plot]").forEach(draw);
  }, true);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light"; // ink on paper
    drawAll();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    drawAll();
  });
  addEventListener("hashchange", openTarget);
  drawAll();
  openTarget();
})();
