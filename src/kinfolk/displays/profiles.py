"""Plot of the columns that distinguish groups of rows, in the table's units."""

from typing import Any, Self

import numpy as np

from kinfolk.comparison import profile
from kinfolk.displays.base import Display, attribute, row_labels
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import rounding
from kinfolk.profiles import Profiles

LARGEST_EFFECT = 2.5
"""Effect with the darkest color, in standard deviations; Cohen calls .8 large."""


class ProfilesDisplay(Display):
    """Heat map of columns that differ most between groups of rows, with their means.

    Colors are distances from the other rows of the same data sets, in standard deviations: violet
    below, orange above.

    Parameters
    ----------
    profiles : of `kf.profile`, or `profiles` of a comparison
    columns : int >= 1, the most columns, or values of categories, that are shown

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> birds = kf.datasets.load_penguins()
    >>> display = kf.ProfilesDisplay.from_profiles(kf.profile(birds, [0] * 100 + [1] * 233))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][:2]
    ['bill_length_mm', 'flipper_length_mm']
    """

    def __init__(self, profiles: Profiles, *, columns: int = 12) -> None:
        self.profiles = profiles
        self.columns = columns

    @classmethod
    def from_profiles(cls, profiles: Profiles, *, columns: int = 12, ax: Any = None) -> Self:
        """Plot the result of `kf.profile` on `ax`, or on a new figure.

        Raises
        ------
        InputError : these are no profiles, or `columns` is no whole number >= 1
        MissingExtraError : matplotlib is not installed
        """
        if not isinstance(profiles, Profiles):
            raise InputError(
                f"profiles are a {type(profiles).__name__}; give kf.profile(data, kinds), or the "
                "`profiles` of a comparison."
            )
        return cls(profiles, columns=columns).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, tasks: Any = None, *, columns: int = 12, ax: Any = None
    ) -> Self:
        """Plot the columns that distinguish the matched clusters of a fitted model.

        Parameters
        ----------
        estimator : a fitted clusterer
        X : the table of the fit, also with categories; None: the means that a model of several
            tasks keeps
        tasks : (n,) the task of each row of X, if X does not know it
        columns : int >= 1, the most columns that are shown
        ax : matplotlib axes; None: those of a new figure

        Raises
        ------
        InputError : X is None and the model keeps no means, or X has other rows than the fit
        MissingExtraError : matplotlib is not installed
        """
        if X is None:
            advice = "give X, the table of its fit."
            return cls(attribute(estimator, "profiles_", advice), columns=columns).plot(ax)
        kinds = getattr(estimator, "matched_labels_", row_labels(estimator))
        return cls(profile(X, kinds, tasks=tasks), columns=columns).plot(ax)

    def _draw(self, ax: Any) -> None:
        found = self.profiles
        most = checks.at_least("columns", self.columns, 1)
        K = len(found.kinds)
        lines = [(column, v) for column in found.columns for v in range(column.effects.shape[1])]
        largest = [np.abs(np.nan_to_num(column.effects[:, v])).max() for column, v in lines]
        order = np.argsort(-rounding.comparable(largest), kind="stable")
        lines = [lines[place] for place in order[:most]]
        axes = self._on_one(ax, (2.6 + 1.1 * K, 1.0 + 0.34 * len(lines)))
        effects = np.array([np.nan_to_num(column.effects[:, v]) for column, v in lines])
        axes.imshow(
            effects, cmap="PuOr_r", vmin=-LARGEST_EFFECT, vmax=LARGEST_EFFECT, aspect="auto"
        )
        for i, (column, v) in enumerate(lines):
            for k in range(K):
                # On the darkest colors black cannot be read.
                ink = "white" if abs(effects[i, k]) > 0.75 * LARGEST_EFFECT else "black"
                axes.text(k, i, column.shown(k, value=v), ha="center", va="center", color=ink)
        heads = [f"{found.called(k)}\n{found.sizes[k, -1]:,} rows" for k in range(K)]
        axes.set_xticks(range(K), heads)
        axes.set_yticks(range(len(lines)), [_label(column, v) for column, v in lines])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


def _label(column: Any, value: int) -> str:
    """Name of a column, with the value if it is a category."""
    # A lone category needs no name beside its column; in a column of several answers each has one.
    if column.is_number or (len(column.values) < 2 and column.between == " = "):
        return str(column.heading)
    return f"{column.name}{column.between}{column.values[value]}"
