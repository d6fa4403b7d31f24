// @ts-check
/** The ROI editor: wires board, fields, film, preview, checks, keys and saving to one box. */
import { register } from "../keys.js";
import { fetchStill, stillUrl } from "../player/still.js";
import { setUpQueue } from "../review/queue.js";
import { html, icon, part, set } from "../stage/dom.js";
import { clock, parse } from "../stage/format.js";
import { setUpBoard } from "./board.js";
import { checksOf } from "./checks.js";
import { setUpFields } from "./fields.js";
import { setUpFilm, timesOf } from "./film.js";
import { cut, same, toPixels } from "./geometry.js";
import { back, begin, step } from "./history.js";
import { roiKeys } from "./keys.js";
import { drawCrop } from "./picture.js";
import { setUpSave } from "./save.js";

const USUAL = { w: 1280, h: 720 }; // where nobody knows the size of the source

/** @param {HTMLElement} root */
function setUpEditor(root) {
  const data = JSON.parse(part(document, "#roi-data").textContent);
  const stills = root.dataset.stills ?? "", duration = data.video.end - data.video.start;
  const picture = part(root, "[data-still]");
  let frame = data.source.width && data.source.height ? { w: data.source.width, h: data.source.height } : USUAL;
  let saved = data.roi, history = begin(saved), time = Math.round((data.item.start + data.item.end) * 50) / 100;
  let film = { crossing: 0, looked: 0 }, leaving = false;
  const box = () => history.now, dirty = () => !same(box(), saved);
  const change = (/** @type {import("./geometry.js").Box} */ next, /** @type {string} */ mark) => {
    if (same(next, box())) return;
    history = step(history, next, mark, performance.now());
    show();
  };
  const host = { frame: () => frame, box, change };
  const board = setUpBoard(part(root, "[data-board]"), { ...host, saved, savedName: `v${data.base}` });
  const fields = setUpFields(root, host);
  const strip = setUpFilm(root, { stills, frame: () => frame, times: timesOf(duration, time), pick: (at) => void look(at),
    checked: (crossing, looked) => { film = { crossing, looked }; showChecks(); } });
  const saving = setUpSave(root, { url: root.dataset.saveUrl ?? "", ...host, scope,
    take: (theirs) => { saved = { x: theirs.x, y: theirs.y, w: theirs.w, h: theirs.h }; change(saved, ""); leaving = true; location.reload(); },
    done: () => { leaving = true; } });

  function scope() {
    const own = part(root, '[name="scope"]:checked').value === "item";
    return { item: own ? data.item.id : null, base: own ? data.item.version : data.video.version, name: own ? "item v" : "v" };
  }
  function show() {
    board.draw();
    fields();
    strip.draw(box());
    const px = toPixels(box(), frame), even = cut(box(), frame), share = box().w * box().h * 100;
    part(root, "[data-size]").textContent = `${px.w} × ${px.h} px`;
    part(root, "[data-shape]").textContent = `${share.toFixed(1)} % of the frame, ${(px.w / px.h).toFixed(2)} : 1`;
    part(root, "[data-cut]").textContent = `${even.w} × ${even.h} px`;
    drawCrop(part(root, "[data-crop]"), picture.hidden ? null : picture, even, frame);
    part(root, "[data-dirty]").hidden = !dirty();
    set(part(root, "[data-undo]"), { disabled: history.past.length === 0 });
    set(part(root, "[data-save]"), { disabled: !dirty() && !overrides() });
    showChecks();
  }
  const overrides = () => (scope().item !== null) !== data.overridden;
  function showChecks() {
    part(root, "[data-checks]").replaceChildren(...checksOf(box(), frame, film).map(({ good, text }) =>
      html("li", { class: "row" }, html("span", { class: good ? "good" : "warn" }, icon(good ? "tick" : "alert")), text)));
    part(root, "[data-film-said]").textContent = film.looked
      ? `Pick one to edit there. ${film.crossing} of ${film.looked} ${film.crossing === 1 ? "touches" : "touch"} the picture edge.` : "Pick one to edit there.";
  }
  /** Show another still below the same box. @param {number} at */
  async function look(at) {
    time = Math.min(Math.max(0, at), duration);
    const asked = time;
    part(root, "[data-time]").value = clock(time);
    part(root, "[data-at]").textContent = `at ${clock(time)}`;
    strip.press(time);
    const still = await fetchStill(stillUrl(stills, time));
    if (asked !== time) return;
    if ("reason" in still) { board.schematic(still.reason); show(); return; }
    board.still(still.url);
  }
  picture.addEventListener("load", () => {
    if (!data.source.width) frame = { w: picture.naturalWidth, h: picture.naturalHeight };
    board.measure();
    show();
  });
  const undo = () => { history = back(history); show(); };
  const reset = () => change(saved, "");
  const leave = () => {
    if (dirty() && !leaving) {
      leaving = true;
      saving.say("warn", "The box is not saved. Press Esc again to leave without saving, or Ctrl Enter to save it.");
      setTimeout(() => { leaving = false; }, 6000);
      return;
    }
    leaving = true;
    location.assign(root.dataset.back ?? "/");
  };
  window.addEventListener("beforeunload", (event) => { if (dirty() && !leaving) event.preventDefault(); });
  const steps = { "frame-back": () => void look(time - 1 / 25), "frame-forward": () => void look(time + 1 / 25) };
  const acts = { undo, reset, leave, save: () => void saving.save(), ...steps };
  for (const button of root.querySelectorAll("[data-act]")) {
    button.addEventListener("click", (event) => { event.preventDefault(); acts[/** @type {keyof acts} */ (button.getAttribute("data-act"))](); });
  }
  part(root, "[data-time]").addEventListener("change", (/** @type {Event} */ event) => {
    const at = parse(/** @type {HTMLInputElement} */ (event.target).value);
    void look(at ?? time);
  });
  for (const radio of root.querySelectorAll('[name="scope"]')) radio.addEventListener("change", () => { label(); show(); });
  const label = () => { part(root, "[data-save-label]").textContent = scope().item ? data.labels.item : data.labels.video; };
  const queue = setUpQueue(part(document, "[data-queue]"));
  register([...roiKeys({ ...acts, ...host }),
    { group: "Elsewhere", keys: ["Slash"], label: "search", run: () => queue.search() }]);
  label();
  show();
  void look(time);
}

for (const root of document.querySelectorAll("[data-roi]")) setUpEditor(/** @type {HTMLElement} */ (root));
