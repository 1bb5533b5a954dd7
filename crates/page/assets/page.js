// Keeps a page that is open up to date, and gives it keys. Everything works without it, by reloading.
"use strict";
(() => {
  const $ = (selector) => document.querySelector(selector);
  const connection = $("#connection");

  // ---- drafts: words are not lost when the page is loaded again ----
  const key = (area) => "draft:" + area.dataset.draft;
  const drafts = () => {
    for (const area of document.querySelectorAll("textarea[data-draft]")) {
      if (area.dataset.kept) continue;
      area.dataset.kept = "yes";
      if (!area.value) area.value = sessionStorage.getItem(key(area)) || "";
      area.addEventListener("input", () => sessionStorage.setItem(key(area), area.value));
      // What is refused comes back with the page that says so.
      area.form?.addEventListener("submit", () => sessionStorage.removeItem(key(area)));
    }
  };
  drafts();

  // ---- the parts that change: those of the page as it is now take the place of those shown ----
  const isTouched = (part) =>
    part.contains(document.activeElement) && document.activeElement.matches("textarea,input,select");
  const replace = (part, now) => {
    if (part.dataset.key && part.dataset.key === now.dataset.key) return;
    if (part.isEqualNode(now) || isTouched(part)) return;
    const opened = [...part.querySelectorAll("details[open]>summary")].map((one) => one.textContent);
    part.replaceWith(now);
    for (const summary of now.querySelectorAll("details>summary"))
      if (opened.includes(summary.textContent)) summary.parentElement.open = true;
  };
  const take = (page) => {
    const ids = new Set();
    for (const now of page.querySelectorAll("[data-live][id]")) {
      ids.add(now.id);
      const part = document.getElementById(now.id);
      if (part) replace(part, document.importNode(now, true));
      else place(document.importNode(now, true), page);
    }
    for (const part of document.querySelectorAll("[data-live][id]"))
      if (!ids.has(part.id) && !isTouched(part)) part.remove();
    document.title = page.title;
    drafts();
    filter();
  };
  // A part that was not there before comes behind the part that it follows in the new page.
  const place = (part, page) => {
    const all = [...page.querySelectorAll("[data-live][id]")].map((one) => one.id);
    for (let at = all.indexOf(part.id) - 1; at >= 0; at--) {
      const before = document.getElementById(all[at]);
      if (before) return before.after(part);
    }
  };
  let loading = false;
  let again = false;
  const reload = async () => {
    if (loading) { again = true; return; }
    loading = true;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
      else if (answer.status === 401) closed();
      else connection.textContent = "What this page shows is not there any more, or cannot be read. Reload it to see why.";
    } catch { /* The stream tells when the server is gone. */ }
    setTimeout(() => { loading = false; if (again) { again = false; reload(); } }, 400);
  };

  // ---- news ----
  const LINES_MAX = 400;
  const line = (news) => {
    const list = $("[data-log]");
    if (!list) return;
    if (list.querySelector(`li[data-seq="${Number(news.seq)}"]`)) return;
    const holder = document.createElement("template");
    holder.innerHTML = news.html;
    const item = holder.content.firstElementChild;
    item.classList.add("new");
    list.append(item);
    while (list.children.length > LINES_MAX) list.firstElementChild.remove();
  };
  const output = (news) => {
    const area = $("#output");
    if (!area) return;
    const follows = area.scrollHeight - area.scrollTop - area.clientHeight < 40;
    if (news.left_out > 0) area.append(`… ${Number(news.left_out)} lines left out\n`);
    area.append(news.text);
    $("#silent")?.remove();
    if (follows) area.scrollTop = area.scrollHeight;
  };
  const doing = (news) => {
    for (const place of document.querySelectorAll("[data-doing]"))
      if (place.dataset.doing === String(news.number)) place.textContent = news.text;
  };
  const closed = () => {
    connection.textContent = "Tollgate was started again: open the address that it printed.";
  };
  // Only a page that somebody sees has a stream: a browser opens six connections to a server and no more, and each tab, and
  // each page behind the back button, would keep one.
  const address = document.body.dataset.events;
  let stream = null;
  let isOver = false;
  let seen = "";
  const connect = () => {
    if (!address || stream || isOver || document.hidden) return;
    const begin = new URL(address, location.href);
    if (seen) begin.searchParams.set("from", seen);
    stream = new EventSource(begin);
    const on = (name, what) => stream.addEventListener(name, (event) => { seen = event.lastEventId || seen; what(event); });
    stream.onopen = () => { if (connection.textContent) { connection.textContent = ""; reload(); } };
    stream.onerror = () => { connection.textContent = "No connection; the page tries again. If Tollgate was started anew, open the address that it printed."; };
    on("line", (event) => { line(JSON.parse(event.data)); reload(); });
    on("doing", (event) => doing(JSON.parse(event.data)));
    on("output", (event) => output(JSON.parse(event.data)));
    on("over", () => { isOver = true; disconnect(); reload(); });
    on("list", reload);
    on("behind", () => location.reload());
  };
  const disconnect = () => { stream?.close(); stream = null; };
  const isSeen = () => { if (!stream && address && !isOver) { connect(); reload(); } };
  connect();
  document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : isSeen());
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => { if (event.persisted) isSeen(); });
  if ($("#output")) $("#output").scrollTop = $("#output").scrollHeight;

  // ---- the filter of the list ----
  const box = $("#filter");
  const filter = () => {
    for (const one of document.querySelectorAll("input[data-filter]")) {
      const label = one.closest("label");
      if (label.hidden) { label.hidden = false; one.addEventListener("input", filter); }
      const words = one.value.toLowerCase();
      for (const row of document.querySelectorAll(one.dataset.filter))
        (row.closest(".line") || row).hidden = !row.textContent.toLowerCase().includes(words);
    }
  };
  filter();

  // ---- the palette: every place that this page knows, by its words ----
  const palette = $("#palette");
  const asked = palette.querySelector("input");
  const places = $("#places");
  const known = () => [...document.querySelectorAll("#waiting a,.tabs a,#rail a,main a.row,header a.button,.brand")].map((a) => ({
    href: a.href, text: a.classList.contains("brand") ? "All sessions" : a.textContent.replace(/\s+/g, " ").trim(),
  })).filter((one, at, all) => all.findIndex((other) => other.href === one.href) === at);
  const list = () => {
    const words = asked.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = known().filter((one) => words.every((word) => one.text.toLowerCase().includes(word))).slice(0, 12);
    places.replaceChildren(...found.map((one, at) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(at === 0));
      link.href = one.href; link.textContent = one.text; link.tabIndex = -1;
      item.append(link);
      return item;
    }));
  };
  const chosen = () => places.querySelector("[aria-selected=true]");
  const move = (by) => {
    const all = [...places.children];
    const at = all.indexOf(chosen());
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    for (const one of all) one.setAttribute("aria-selected", String(one === next));
  };
  const find = () => { asked.value = ""; list(); palette.showModal(); };
  $("#find").hidden = false;
  $("#find").addEventListener("click", find);
  asked.addEventListener("input", list);
  asked.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Enter") { event.preventDefault(); chosen()?.querySelector("a").click(); }
  });
  palette.addEventListener("click", (event) => { if (event.target === palette || event.target.closest("a")) palette.close(); });

  // ---- keys: they go to places, and none of them sends anything ----
  const help = $("#help");
  $("#keys").hidden = false;
  $("#keys").addEventListener("click", () => help.showModal());
  const go = (selector) => $(selector)?.click();
  const step = (by) => {
    const rows = [...document.querySelectorAll("#rail a.row")];
    const at = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const next = rows[at < 0 ? 0 : at + by];
    if (next) location.href = next.href;
  };
  const gate = () => {
    const found = $(".gate");
    if (!found) return go("#waiting a");
    found.scrollIntoView();
    found.querySelector("textarea,button")?.focus({ preventScroll: true });
  };
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    g: gate,
    w: () => $(".gate textarea[name=words]")?.focus(),
    n: () => { location.href = "/new"; },
    h: () => { location.href = "/"; },
    "/": () => (box || $("#rail input")).focus(),
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); if (!palette.open) find(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || palette.open) return;
    if (event.target.matches("textarea,input,select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const what = keys[event.key];
    if (what) { event.preventDefault(); what(); }
    else if (/^[1-5]$/.test(event.key)) go(`.tabs a[data-key="${event.key}"]`);
  });
})();
