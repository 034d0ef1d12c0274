"""A drawing as SVG that takes its colours from the page, so that one drawing serves light, dark and paper.

matplotlib draws with stand-in colours, which are then exchanged for CSS variables.
"""

import io
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

P = ParamSpec("P")

INK, FAINT, PLUS, MINUS = "#a1b2f0", "#a1b2f1", "#a1b2f3", "#a1b2f4"
_VARIABLES = {INK: "--ink", FAINT: "--faint", PLUS: "--plus", MINUS: "--minus"}
N_SERIES = 8
MARKERS = "osD^vPX*"
WIDTH = 5.0
"""Inches; a page scales the drawing, so this sets how large the letters are beside it."""

_STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "figure.constrained_layout.use": True,
}


def series(k: int) -> str:
    """Stand-in colour of the k-th series."""
    return f"#a1b20{k % N_SERIES}"


def look(k: int) -> dict[str, Any]:
    """How the k-th series is drawn: beyond colour also by its marker, and from the ninth on dashed."""
    style = "-" if k < N_SERIES else "--"
    return {"color": series(k), "marker": MARKERS[k % len(MARKERS)], "linestyle": style}


def plain(label: str) -> str:
    """A label that matplotlib shows as it is: it hides those that begin with an underscore."""
    return label if not label.startswith("_") else f"\u200b{label}"


def styled(draw: Callable[P, str]) -> Callable[P, str]:
    """Draw in our style, whatever the user's own settings are."""

    @wraps(draw)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> str:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(_STYLE)
            return draw(*args, **kwargs)

    return in_style


class Canvas:
    """A figure in a function that is `styled`; `svg` ends it.

    Args:
        name: letters and hyphens, different for every figure of a page.
        height, width: inches.
    """

    def __init__(self, name: str, height: float = 3.3, width: float = WIDTH) -> None:
        self.name = name
        self.figure = Figure(figsize=(width, height))
        self.ax: Axes = self.figure.subplots()
        self.ax.patch.set_visible(False)
        self.figure.patch.set_visible(False)

    def svg(self) -> str:
        """The drawing, for use inside a page: no size of its own, no ids that another figure may have."""
        stream = io.StringIO()
        with mpl.rc_context({"svg.hashsalt": self.name}):
            self.figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        text = stream.getvalue()
        text = text[text.index("<svg") :]
        for size in ("width", "height"):
            text = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", text, count=1)
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r'\bid="', f'id="{self.name}-', text)
        text = re.sub(r"url\(#", f"url(#{self.name}-", text)
        text = re.sub(r'href="#', f'href="#{self.name}-', text)
        for stand_in, variable in {**_VARIABLES, **{series(k): f"--s{k}" for k in range(N_SERIES)}}.items():
            text = text.replace(stand_in, f"var({variable})")
        return text
