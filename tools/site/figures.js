// Every figure of the answer's page: what a hand changes, and the numbers that follow.
// figures.py writes the page and each number's coefficients around this.
const single = Math.fround;  // float32, PyTorch's default

// The next four read and write numbers as the lessons do (typed_numbers.py, formatting.py).
const decimal = "(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?";
const shape = new RegExp(`^([+-]?)\\s*(${decimal})\\s*(?:/\\s*([+-]?${decimal}))?$`);

function read(typed) {
  const text = typed.replace(/[\u2212\u2010-\u2013\ufe63\uff0d]/g, "-").trim();
  const quoted = `"${text.length > 32 ? text.slice(0, 31) + "\u2026" : text}"`;
  if (!text) throw "This box is empty. Type a number, for example 0.";
  const found = shape.exec(text);
  if (!found) {
    throw text.includes(",")
      ? `${quoted} has a comma. Type one number, with a point for decimals: 3.5.`
      : `${quoted} is not a number. Type one such as 2, -0.5, 1/3 or 2e-3.`;
  }
  const [, sign, above, below] = found;
  if (Number(below) === 0) throw `${quoted} divides by zero. Type a number such as 1/3.`;
  const value = (sign === "-" ? -1 : 1) * above / (below ?? 1);
  if (!isFinite(single(value)) || !isFinite(above) || !isFinite(below ?? 1)) {
    throw `${quoted} is too large: float32, PyTorch's default, ends at about 3.4e38.`;
  }
  if (single(value) === 0 && /[1-9]/.test(above.split(/e/i)[0])) {
    throw `${quoted} is too small: in float32 it would become 0. Type 0 if that is meant.`;
  }
  return single(value);
}

// Five significant digits, a half to the even one, and always a sign.
function written(value) {
  const size = Math.abs(value), sign = value < 0 ? "\u2212" : value > 0 ? "+" : "";
  if (!isFinite(size)) return isNaN(value) ? "nan" : sign + "inf";
  if (Number.isInteger(size) && size < 1e7) return sign + size;
  const half = /^(\d\.\d{3}[02468])50*e(.*)$/.exec(size.toExponential(60));
  const [digits, power] = half ? half.slice(1) : size.toExponential(4).split("e");
  if (power >= -4 && power < 5) return sign + Number(`${digits}e${power}`);
  return `${sign}${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

// What was typed for the same number stays as typed: 1/3 stays 1/3.
const says = (text, value) => { try { return read(text) === value; } catch { return false; } };

// "plus-3": blue with a bar above, or orange with one below, the stronger the larger.
function tint(value, largest) {
  if (!value || !largest) return "";
  const level = Math.max(1, Math.round(4 * Math.min(1, Math.abs(value) / largest)));
  return `${value < 0 ? "minus" : "plus"}-${level}`;
}
const sizes = (values) => Math.max(0, ...values.map(Math.abs).filter(isFinite));

function dye(element, value, largest) {
  const shade = tint(value, largest);
  if (element.localName === "g") {  // of a drawing: the ground, the bar above, the bar below
    const [ground, above, below] = element.querySelectorAll("rect");
    ground.style.fill = shade ? `var(--mg-${shade})` : "none";
    above.style.fill = value > 0 ? "var(--mg-plus)" : "none";
    below.style.fill = value < 0 ? "var(--mg-minus)" : "none";
    return;
  }
  element.classList.remove(...[...element.classList].filter((one) => /^mg-(plus|minus)-/.test(one)));
  if (shade) element.classList.add(`mg-${shade}`);
}

function start(figure) {
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const state = JSON.parse(figure.dataset.state), first = [...state.v];
  const numbers = all("[data-linear]").map((element) => ({
    element, forms: JSON.parse(element.dataset.linear),
    text: element.localName === "g" ? element.querySelector("text") : element,
    beside: element.closest("[data-together], .flow-grad"),
  }));
  const boxes = all("input[data-at]"), cases = all("[data-cases]"), modes = all("[data-to]");
  const fills = all("button[data-v]"), [refused] = all("[role=alert]"), [spoken] = all("[role=status]");
  let before = [...state.v], graph = true;  // before: what is being typed; the graph of `out` is whole

  const summed = (form) => form.reduce(
    (sum, slope, place) => single(sum + single((state.v[place] ?? 1) * slope)), 0);

  function show(editing) {
    for (const one of numbers) one.value = summed(one.forms[Math.min(state.case, one.forms.length - 1)]);
    const none = state.v.every((entry) => entry === 0);
    for (const { element, text, value, beside } of numbers) {
      const together = beside ? numbers.filter((one) => one.beside === beside) : [{ value }];
      const absent = none && beside?.dataset.none;
      text.textContent = !absent ? written(value) : together[0].element === element ? absent : "";
      dye(element, absent ? 0 : value, sizes(together.map((one) => one.value)));
    }
    for (const box of boxes) {
      const value = state.v[box.dataset.at];
      if (box.type === "range") {
        box.value = value;
        box.setAttribute("aria-valuetext", written(value));
      } else {
        if (box !== editing && !says(box.value, value)) box.value = written(value);
        box.removeAttribute("aria-invalid");
        dye(box, value, sizes(state.v));
      }
    }
    for (const part of all("[data-case]")) {
      const here = part.dataset.case.split(" ").includes(String(state.case));
      part.classList.toggle("mg-away", !here);
    }
    for (const one of all("[data-texts]")) one.textContent = JSON.parse(one.dataset.texts)[state.case];
    for (const slider of cases) {
      slider.value = state.case;
      slider.setAttribute("aria-valuetext", slider.dataset.cases.split(",")[state.case]);
    }
    for (const bar of all("[data-bar]")) {
      const { value } = numbers.find((one) => one.element.parentElement === bar.closest(".mg-line"));
      bar.style.width = `${Math.min(48, 1.5 * Math.abs(value))}%`;
      bar.classList.toggle("mg-left", value < 0);
    }
    modes.forEach((mode) => mode.setAttribute("aria-pressed", Number(mode.dataset.to) === state.case));
    fills.forEach((fill) => fill.setAttribute("aria-pressed", fill.dataset.v === JSON.stringify(state.v)));
    refused.textContent = "";
  }

  function settle() {
    before = [...state.v];
    const phrases = all("[data-say]").filter((one) => !one.closest(".mg-away")).map((one) => {
      const cells = one.matches("[data-linear]") ? [one] : [...one.querySelectorAll("[data-linear]")];
      return `${one.dataset.say} ${cells.map((cell) => cell.textContent).join(", ")}`;
    });
    spoken.textContent = `${phrases.join("; ")}.`;
  }

  function weigh(place, value) {
    state.v = state.v.map((old, k) => (k === Number(place) ? value : old));
  }
  function turn(to, resets) {
    if (to === state.case) return;
    state.case = to;
    if (resets) state.v = [...first];
    show();
  }

  for (const box of boxes) {
    if (box.type === "range") {
      box.addEventListener("input", () => { weigh(box.dataset.at, single(box.value)); show(); });
      box.addEventListener("change", settle);
      continue;
    }
    box.addEventListener("focus", () => box.select());
    box.addEventListener("input", () => {
      try { weigh(box.dataset.at, read(box.value)); } catch { return; }  // more is to be typed
      show(box);
    });
    box.addEventListener("change", () => {
      try {
        weigh(box.dataset.at, read(box.value));
      } catch (sentence) {
        state.v = [...before];
        show(box);
        box.setAttribute("aria-invalid", "true");
        refused.textContent = `${sentence} v stays as it was before.`;
        return;
      }
      show(box);
      settle();
    });
  }
  for (const fill of fills) {
    fill.addEventListener("click", () => { state.v = JSON.parse(fill.dataset.v); show(); settle(); });
  }
  for (const mode of modes) {
    mode.addEventListener("click", () => { turn(Number(mode.dataset.to)); settle(); });
  }
  for (const slider of cases) {
    slider.addEventListener("input", () => turn(Number(slider.value), "resets" in slider.dataset));
    slider.addEventListener("change", settle);
  }

  // A cut is dragged on the picture itself, too: it goes to the nearest place where it can stand.
  for (const picture of all("svg[data-stops]")) {
    const stops = picture.dataset.stops.split(" ").map(Number);
    const follow = (event) => {
      const box = picture.getBoundingClientRect(), at = (event.clientX - box.left) / box.width;
      const away = stops.map((stop) => Math.abs(stop - at));
      turn(away.indexOf(Math.min(...away)), true);
    };
    picture.addEventListener("pointerdown", (event) => {
      picture.setPointerCapture(event.pointerId);
      follow(event);
    });
    picture.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
    picture.addEventListener("pointerup", settle);
  }

  // A finger that turns out to scroll the page takes back what its touch has changed.
  let touched;
  figure.addEventListener("pointerdown", () => { touched = { ...state }; }, true);  // before others
  figure.addEventListener("pointercancel", () => {
    if (touched.v === state.v && touched.case === state.case) return;
    Object.assign(state, touched);
    show();
  });

  // Lines that are run: v[0] counts the passes, and a pass frees the graph unless it is retained.
  const [retain] = all("[data-retain]"), [held] = all("[data-graph]");
  const lines = {
    forward: () => { graph = true; },
    backward: () => {
      if (!graph) return figure.dataset.refusal;
      weigh(0, state.v[0] + 1);
      graph = retain.checked;
    },
    clear: () => { weigh(0, 0); },
  };
  for (const button of all("[data-do]")) {
    button.addEventListener("click", () => {
      const refusal = lines[button.dataset.do]();
      show();
      held.textContent = held.dataset[graph ? "whole" : "freed"];
      refused.textContent = refusal ?? "";
      settle();
    });
  }

  figure.classList.add("mg-moves");
  show();
}

document.querySelectorAll(".mg-figure").forEach(start);
