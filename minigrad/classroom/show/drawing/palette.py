"""The colours of all that is drawn, in both themes: tableau-colorblind10, told apart by every eye.

What is *given* in plain ink, what *you change* on the grey bench, what *follows* tinted by sign.
Sign is told three times: by + or \u2212, by a bar above or below, by blue or orange. Violet is the
learner's hand.
"""

LEVELS = 4  # of a tint: the larger a number among its neighbours, the stronger

_COLOURS = {  # name: (light, dark)
    "ink": ("#14171a", "#f1f3f4"),
    "paper": ("#ffffff", "#111111"),
    "quiet": ("#444b52", "#c6ccd1"),
    "edge": ("#6f767d", "#8d959c"),
    "line": ("#d3d8dd", "#3b4249"),
    "bench": ("#eff1f4", "#1e2226"),
    "plus": ("#006ba4", "#5f9ed1"),
    "minus": ("#c85200", "#ff800e"),
    "hand": ("#6a3fa0", "#bfa2f2"),
    "hand-tint": ("#e9e2f1", "#38314a"),
    "on-hand": ("#ffffff", "#14171a"),
}
_PLUS, _MINUS = "0, 107, 164", "255, 128, 14"
_OPACITY = {"light": (0.10, 0.38), "dark": (0.16, 0.43)}  # of the weakest and the strongest tint


def in_theme(theme):
    """{name: colour} of a theme, the tints of signed numbers among them."""
    weakest, strongest = _OPACITY[theme]
    colours = {name: both[theme == "dark"] for name, both in _COLOURS.items()}
    for level in range(1, LEVELS + 1):
        opacity = weakest + (strongest - weakest) * level / LEVELS
        colours[f"plus-{level}"] = f"rgba({_PLUS}, {opacity:.2f})"
        colours[f"minus-{level}"] = f"rgba({_MINUS}, {opacity:.2f})"
    return colours


def variables(theme):
    """The colours of a theme, light or dark, as CSS variables."""
    return " ".join(f"--mg-{name}: {value};" for name, value in in_theme(theme).items())


LIGHT = in_theme("light")


def colour(name):
    """A colour or tint for SVG and CSS: the theme's in a panel, a light colour in a picture."""
    return f"var(--mg-{name}, {LIGHT[name]})" if name in _COLOURS else f"var(--mg-{name})"


def sign_class(value, largest):
    """The class that tints a number by its sign, the stronger the larger it is; "" for zero."""
    if value == 0 or value != value or not largest:
        return ""
    share = min(1.0, abs(value) / largest) if abs(value) != float("inf") else 1.0
    return f"mg-{'plus' if value > 0 else 'minus'}-{max(1, round(share * LEVELS))}"


def largest_of(values):
    """The largest absolute value of an array that is finite; 0 for none."""
    finite = (abs(float(value)) for value in values.ravel())
    return max((value for value in finite if value < float("inf")), default=0.0)
