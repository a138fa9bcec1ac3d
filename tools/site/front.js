// a.grad = v·J in float32, as the engine computes it. front.py writes the page and J around this.
(() => {
  const figure = document.currentScript.closest(".mg-front");
  const jacobian = JSON.parse(figure.dataset.jacobian);  // [output][input]
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const boxes = all("input[type=text]"), sliders = all("input[type=range]");
  const cells = all(".mg-front-grad td"), fills = all("button, select");
  const [refused] = all("[role=alert]"), [spoken] = all("[role=status]");
  const single = Math.fround;  // float32, PyTorch's default
  let v = boxes.map(() => 1), before = v;  // before: what is typed now

  const product = () => jacobian[0].map((_, input) => jacobian.reduce(
    (sum, slopes, output) => single(sum + single(v[output] * slopes[input])), 0));

  // The rest reads and writes numbers as the lessons do (typed_numbers.py, formatting.py).
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
    if (!isFinite(size)) return sign + "inf";
    if (Number.isInteger(size) && size < 1e7) return sign + size;
    const half = /^(\d\.\d{3}[02468])50*e(.*)$/.exec(size.toExponential(60));
    const [digits, power] = half ? half.slice(1) : size.toExponential(4).split("e");
    if (power >= -4 && power < 5) return sign + Number(`${digits}e${power}`);
    return `${sign}${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }

  // Blue with a bar above or orange with one below, the stronger the larger, beside the sign itself.
  function tint(elements, values) {
    const largest = Math.max(...values.map(Math.abs).filter(isFinite));
    elements.forEach((element, place) => {
      const value = values[place], sign = value < 0 ? "minus" : "plus";
      const level = Math.max(1, Math.round(4 * Math.min(1, Math.abs(value) / largest)));
      element.dataset.sign = value === 0 ? "none" : sign;
      element.style.setProperty("--tint", value === 0 ? "none" : `var(--mg-${sign}-${level})`);
    });
  }

  // What was typed for the same number stays as typed: 1/3 stays 1/3.
  const says = (text, value) => { try { return read(text) === value; } catch { return false; } };

  function show(editing) {
    const grad = product();
    cells.forEach((cell, place) => { cell.textContent = written(grad[place]); });
    boxes.forEach((box, place) => {
      if (box !== editing && !says(box.value, v[place])) box.value = written(v[place]);
      box.removeAttribute("aria-invalid");
      sliders[place].value = v[place];
      sliders[place].setAttribute("aria-valuetext", written(v[place]));
    });
    tint(cells, grad);
    tint(boxes, v);
    refused.textContent = "";
    fills.forEach((fill) => {
      const same = fill.value && String(JSON.parse(fill.value).flat()) === String(v);
      if (fill.localName === "button") fill.setAttribute("aria-pressed", same);
      else if (!same) fill.value = "";
    });
  }

  function settle() {
    before = v;
    spoken.textContent = `a.grad is ${cells.map((cell) => cell.textContent).join(", ")}.`;
  }

  boxes.forEach((box, place) => {
    const weigh = (value) => { v = v.map((old, k) => (k === place ? value : old)); };
    box.addEventListener("focus", () => box.select());
    box.addEventListener("input", () => {
      try { weigh(read(box.value)); } catch { return; }  // more is to be typed
      show(box);
    });
    box.addEventListener("change", () => {
      try {
        weigh(read(box.value));
      } catch (sentence) {
        v = before;
        show(box);
        box.setAttribute("aria-invalid", "true");
        refused.textContent = `${sentence} v stays as it was before.`;
        return;
      }
      show(box);
      settle();
    });
    sliders[place].addEventListener("input", () => {
      weigh(Number(sliders[place].value));
      show();
    });
    sliders[place].addEventListener("change", settle);
  });

  fills.forEach((fill) => fill.addEventListener(fill.localName === "button" ? "click" : "change", () => {
    if (!fill.value) return;
    v = JSON.parse(fill.value).flat();
    show();
    settle();
  }));

  figure.classList.add("mg-front-moves");
  figure.querySelector(".mg-front-live").hidden = false;
  show();
})();
