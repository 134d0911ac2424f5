// What the pages do better with scripts than without: nothing here is needed to
// read a page or to send a form. No page has scripts of its own.
"use strict";
(() => {
  const self = document.currentScript;
  const texts = JSON.parse(self.dataset.texts);
  const language = document.documentElement.lang;

  // Times: the server writes UTC; here they are shown in the visitor's zone.
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const parts = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" };
  const full = new Intl.DateTimeFormat(language, { ...parts, fractionalSecondDigits: 3, timeZoneName: "short" });
  const plain = new Intl.DateTimeFormat(language, parts);
  const short = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });

  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });

  // tick is an instant at the edge of a chart: midnight is where a day begins.
  function tick(seconds) {
    const at = new Date(seconds * 1000);
    return at.getHours() === 0 && at.getMinutes() === 0 ? day.format(at) : clock.format(at);
  }

  function ago(at) {
    const seconds = (at - Date.now()) / 1000;
    for (const [size, unit] of units) {
      if (Math.abs(seconds) >= size || size === 1) {
        return relative.format(Math.trunc(seconds / size), unit);
      }
    }
    return "";
  }

  function showTime(element) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) return;
    if (element.dataset.time === "ago") {
      element.textContent = ago(at);
    } else {
      const thisYear = at.getFullYear() === new Date().getFullYear();
      element.textContent = (thisYear ? short : plain).format(at);
    }
    if (!element.dataset.utc) {
      element.dataset.utc = element.title;
      element.title = full.format(at) + "\n" + element.title;
    }
  }

  // Copying.
  function copy(button) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => {
      button.classList.add("copied");
      announce(texts.copied);
      setTimeout(() => button.classList.remove("copied"), 1500);
    }, () => {});
  }

  // What screen readers should hear of what happened without a new page.
  const speaker = document.createElement("div");
  speaker.className = "sr";
  speaker.setAttribute("role", "status");
  function announce(text) {
    speaker.textContent = "";
    setTimeout(() => { speaker.textContent = text; }, 50);
  }

  function toast(text) {
    const box = document.createElement("div");
    box.className = "notice notice-failed toast";
    box.setAttribute("role", "alert");
    box.textContent = text;
    document.body.append(box);
    setTimeout(() => box.remove(), 8000);
  }

  // Dialogs.
  function openDialog(link, event) {
    const dialog = document.getElementById(link.dataset.dialog);
    if (!dialog || !dialog.showModal) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey) return;
    const target = event.target.closest("[data-copy], [data-dialog], [data-close]");
    if (target) {
      if (target.dataset.copy !== undefined) copy(target);
      else if (target.dataset.dialog !== undefined) openDialog(target, event);
      else {
        const dialog = target.closest("dialog");
        if (dialog && dialog.matches(":modal")) { event.preventDefault(); dialog.close(); }
      }
    }
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details[data-menu][open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
      return;
    }
    const writing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const field = document.querySelector("[data-shortcut='/']");
      if (field) { event.preventDefault(); field.focus(); }
    }
  });

  // A link that looks like a button acts like one.
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && event.target.matches("a[role='button']")) {
      event.preventDefault();
      event.target.click();
    }
  });

  // A form is sent once.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // Boxes that tick all of a list, and how many are ticked.
  const boxesOf = (name) => [...document.querySelectorAll(`input[type=checkbox][name="${CSS.escape(name)}"]`)];
  function countTicks() {
    for (const counter of document.querySelectorAll("[data-ticked]")) {
      counter.textContent = boxesOf(counter.dataset.ticked).filter((box) => box.checked).length;
    }
    for (const all of document.querySelectorAll("[data-tick-all]")) {
      const boxes = boxesOf(all.dataset.tickAll);
      const ticked = boxes.filter((box) => box.checked).length;
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
    }
  }
  document.addEventListener("change", (event) => {
    const all = event.target.closest("[data-tick-all]");
    if (all) for (const box of boxesOf(all.dataset.tickAll)) box.checked = all.checked;
    if (event.target.type === "checkbox") countTicks();
  });
  addEventListener("pageshow", countTicks); // browsers keep ticks when one comes back

  // Charts.
  let charting;
  const charts = new Map();
  function library() {
    charting ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = self.dataset.charts;
      script.onload = () => resolve(window.uPlot);
      script.onerror = reject;
      document.head.append(script);
    });
    return charting;
  }

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }
  const tones = { good: "good", busy: "busy", warn: "warn", bad: "bad", muted: "muted", neutral: "accent" };
  const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

  function draw(canvas) {
    const spec = JSON.parse(canvas.dataset.chart);
    library().then((Plot) => {
      if (!canvas.isConnected) return;
      const old = charts.get(canvas);
      if (old) old.destroy();
      const axis = { stroke: colour("ink-soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") }, font: "12px " + getComputedStyle(document.body).fontFamily };
      const show = (digits) => (_, value) => value == null ? "–" : value.toLocaleString(language, { maximumFractionDigits: digits }) + (spec.unit ? " " + spec.unit : "");
      const series = spec.series.map((s, i) => {
        const line = colour(tones[s.tone] || "accent");
        return {
          label: s.label, stroke: line, width: 2, dash: s.bars ? [] : dashes[i % dashes.length], value: show(s.digits), spanGaps: false,
          fill: s.bars ? line + "44" : undefined, points: { show: !s.bars, size: 5 },
          paths: s.bars ? Plot.paths.bars({ size: [0.8, 40], align: 1 }) : undefined,
        };
      });
      const times = spec.data[0];
      const step = times.length > 1 ? times[1] - times[0] : 3600; // each value is of the time that follows
      const yTicks = (_, ticks) => ticks.map((v) => v.toLocaleString(language) + (spec.unit ? " " + spec.unit : ""));
      const plot = new Plot({
        width: canvas.clientWidth, height: 200,
        scales: { x: { range: (_, low, high) => [low, high + step] }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.1 : 1] } },
        series: [{ label: spec.time, value: (_, v) => v == null ? "–" : short.format(new Date(v * 1000)) }, ...series],
        axes: [
          { ...axis, space: 76, values: (_, ticks) => ticks.map(tick) },
          { ...axis, values: yTicks, size: (_, values) => 18 + 7.2 * Math.max(2, ...(values || []).map((v) => v.length)) },
        ],
        legend: { live: true },
        cursor: { drag: { x: true, y: false } },
      }, spec.data, canvas);
      charts.set(canvas, plot);
    }, () => {});
  }

  const resizing = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const plot = charts.get(target);
      if (plot && contentRect.width > 0 && plot.width !== Math.floor(contentRect.width)) plot.setSize({ width: Math.floor(contentRect.width), height: 200 });
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const canvas of charts.keys()) draw(canvas);
  });

  function newData({ id, data }) {
    const figure = document.getElementById(id);
    const canvas = figure && figure.querySelector("[data-chart]");
    if (!canvas) return;
    const plot = charts.get(canvas);
    if (plot) plot.setData(data);
    canvas.dataset.chart = JSON.stringify({ ...JSON.parse(canvas.dataset.chart), data });
  }

  // Streams: the server sends parts of the page, and data for charts.
  function follow(element) {
    if (element.dataset.following) return;
    element.dataset.following = "1";
    const source = new EventSource(element.dataset.stream);
    const state = document.querySelector("[data-live]");
    const live = (on) => {
      if (!state) return;
      state.hidden = false;
      state.classList.toggle("on", on);
      state.textContent = on ? texts.live : texts.lost;
    };
    source.addEventListener("open", () => live(true));
    source.addEventListener("error", () => live(false));
    source.addEventListener("part", (event) => {
      const holder = document.createElement("template");
      holder.innerHTML = event.data;
      for (const part of [...holder.content.children]) {
        const present = part.id && document.getElementById(part.id);
        // What somebody is just using stays as it is until the next time.
        if (!present || present.contains(document.activeElement) && document.activeElement !== document.body) continue;
        present.replaceWith(part);
        if (window.htmx) window.htmx.process(part);
        prepare(part);
      }
    });
    source.addEventListener("data", (event) => newData(JSON.parse(event.data)));
    addEventListener("pagehide", () => source.close());
  }

  function each(root, selector, action) {
    if (root.matches && root.matches(selector)) action(root);
    for (const element of root.querySelectorAll(selector)) action(element);
  }

  // prepare is called for the page, and for every part that comes later.
  function prepare(root) {
    each(root, "time[data-time]", showTime);
    if (navigator.clipboard) each(root, "[data-copy]", (button) => { button.hidden = false; });
    each(root, "[data-scripted]", (element) => { element.hidden = false; });
    each(root, "[data-unscripted]", (element) => { element.hidden = true; });
    each(root, "[data-chart]", (canvas) => { draw(canvas); resizing.observe(canvas); });
    each(root, "[data-stream]", follow);
    each(root, "[data-insecure]", (warning) => { if (!isSecureContext) warning.hidden = false; });
    each(root, "dialog[open]", (dialog) => { dialog.close(); dialog.showModal(); });
    // Instants that somebody chooses are in the visitor's zone; the server wants UTC.
    each(root, "input[type=datetime-local][data-utc]", (field) => {
      if (field.dataset.utc) field.value = local(new Date(field.dataset.utc));
    });
  }

  function local(at) {
    if (Number.isNaN(at.getTime())) return "";
    return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
  }
  function inUTC(parameters) {
    for (const field of document.querySelectorAll("input[type=datetime-local][data-utc]")) {
      const at = new Date(field.value);
      if (field.value && field.name && !Number.isNaN(at.getTime()) && parameters.has(field.name)) {
        parameters.set(field.name, at.toISOString());
      }
    }
  }
  document.addEventListener("formdata", (event) => {
    inUTC(event.formData);
    if (event.target.method !== "get") return;
    for (const [name, value] of [...event.formData]) {
      if (value === "") event.formData.delete(name); // they only make addresses long
    }
  });
  document.addEventListener("htmx:configRequest", (event) => {
    for (const [name, value] of Object.entries(event.detail.parameters)) {
      if (value === "" && event.detail.verb === "get") delete event.detail.parameters[name];
    }
  });

  document.addEventListener("htmx:afterSwap", (event) => { prepare(event.detail.elt); countTicks(); });
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status !== 401) toast(texts.failed);
  });
  document.addEventListener("htmx:sendError", () => toast(texts.failed));

  // On small screens the navigation is a row, of which only a part is seen.
  const current = document.querySelector(".side [aria-current]");
  if (current) {
    const row = current.closest(".side");
    row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }

  document.body.append(speaker);
  prepare(document);
  setInterval(() => each(document, "time[data-time=ago]", showTime), 15000);
})();
