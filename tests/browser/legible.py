"""Whether all that a panel shows can be read: with contrast, and not cut off."""

from tests.browser.notebook import wait_until

NARROW = 800  # px; half a screen, or a lecture zoomed in


def check_legible(panel, texts):
    """A panel shows more than so many texts, all can be read, and also in a narrow window.

    What lies in a part that scrolls sideways counts as shown if that part is within the panel. So
    does a long list in its field; a number in a box is to be seen as a whole.
    """
    page = panel.page
    window = page.viewport_size
    found = wait_until(lambda: panel.evaluate(FOUND), lambda found: found["texts"] > texts)
    page.set_viewport_size({**window, "width": NARROW})
    try:
        narrow = wait_until(lambda: panel.evaluate(FOUND), lambda found: found["right"] <= NARROW)
    finally:
        page.set_viewport_size(window)
    assert found["low"] == [], found["low"]
    assert found["cut"] == [], found["cut"]
    assert narrow["cut"] == [], narrow["cut"]


# In the page: how many texts there are, those with little contrast to what is behind them, those
# that are cut off, and where the panel ends.
FOUND = """panel => {
    const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const over = (front, back) => {
        const a = front[3] ?? 1;
        return [0, 1, 2].map(k => front[k] * a + back[k] * (1 - a));
    };
    const behind = element => {
        if (!element) return [255, 255, 255];
        const own = parse(getComputedStyle(element).backgroundColor);
        return (own[3] ?? 1) === 1 ? own : over(own, behind(element.parentElement));
    };
    const luminance = rgb => {
        const [r, g, b] = rgb.map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const scrolls = element => element.matches('.mg-field, .mg-field input')
        || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
    const scroller = element =>
        element === panel || scrolls(element) ? element : scroller(element.parentElement);
    const wide = (list, style) => {  // what the chosen option needs, with the arrow beside it
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = `${style.fontSize} ${style.fontFamily}`;
        return pen.measureText(list.selectedOptions[0]?.text ?? '').width + 16
            + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    };
    const frame = panel.getBoundingClientRect();
    const low = [], cut = [];
    let texts = 0;
    for (const element of panel.querySelectorAll('*')) {
        if (element.closest('style, .mg-spoken') || element.matches('option')) continue;
        if (!element.checkVisibility()) continue;  // in a fold that is closed
        const box = element.getBoundingClientRect();
        const own = element.matches('input[type=text], select')
            ? element.value || element.placeholder
            : [...element.childNodes].filter(n => n.nodeType === 3)
                .map(n => n.data).join('').trim();
        if (!own || box.width < 3 || box.height < 3) continue;
        texts += 1;
        const style = getComputedStyle(element), back = behind(element);
        const [light, dark] = [over(parse(style.color), back), back]
            .map(luminance).sort((a, b) => b - a);
        if ((light + 0.05) / (dark + 0.05) < 4.5) low.push(own);
        const within = scroller(element);
        const shown = within === panel ? box : within.getBoundingClientRect();
        if (shown.right > frame.right + 1 || shown.bottom > frame.bottom + 1) cut.push(own);
        const sheet = element.ownerSVGElement?.getBoundingClientRect() ?? box;
        if (box.left < sheet.left - 1 || box.right > sheet.right + 1) cut.push(own);
        if (element.scrollWidth > element.clientWidth + 1 && within !== element
            && style.display !== 'inline' && !element.ownerSVGElement) cut.push(own);
        if (element.matches('select') && wide(element, style) > element.clientWidth) cut.push(own);
    }
    return {texts, low, cut, right: frame.right};
}"""
