"""Plots of fitted models with matplotlib, like scikit-learn's Display classes.

Each display holds what it draws. `XDisplay.from_estimator(...)` computes and draws, `plot(ax=None)`
draws again; `figure_` and `ax_`, or `axes_` for one panel per task, are matplotlib's, to change or
to save.
"""
