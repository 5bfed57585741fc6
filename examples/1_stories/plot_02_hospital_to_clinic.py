"""
Hospital to clinic: centers travel, rows stay
=============================================

A large hospital knows the groups of its patients. A small clinic has few patients and noisy
measurements, and the hospital may not send rows. It sends centers.
"""

# %%
# Three groups of patients by three measurements. Both sites bring them to the scale of the
# hospital: its means and deviations travel, too. The clinic's instruments are noisier.
import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf

random = np.random.default_rng(2)
names = ["HbA1c %", "systolic mmHg", "BMI"]
groups = np.array([[6.1, 128, 24], [7.9, 142, 31], [6.6, 165, 27]])
within = np.array([0.5, 9, 2.5])
patients = random.integers(0, 3, 500)
hospital = groups[patients] + random.normal(0, 1.0, (500, 3)) * within
truth = random.integers(0, 3, 24)
clinic = groups[truth] + random.normal(0, 1.9, (24, 3)) * within
center = hospital.mean(axis=0)
spread = hospital.std(axis=0)
hospital = (hospital - center) / spread
clinic = (clinic - center) / spread

# %%
# The hospital clusters its rows, and keeps centers and sizes, rounded to what they are worth.
known = kf.Knowledge.of(kf.MEC(3, random_state=0).fit(hospital)).rounded()
known.cluster_centers

# %%
# Before the file leaves: does it tell of single rows? 50 of 100 is guessing.
print(kf.check_knowledge(known, hospital))

# %%
# The clinic clusters alone, and with the centers.
alone = kf.MEC(3, random_state=0).fit(clinic)
helped = kf.KTMEC(knowledge=known, random_state=0).fit(clinic)
for name, model in {"alone": alone, "with knowledge": helped}.items():
    print(f"{name:15s} accuracy {kf.measures.accuracy(truth, model.labels_):.2f}")

# %%
# Squares are the hospital's centers, crosses those of the clinic.
figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharex=True, sharey=True)
for ax, (name, model) in zip(axes, {"alone": alone, "with knowledge": helped}.items(), strict=True):
    ax.scatter(*clinic[:, :2].T, c=model.labels_, cmap="viridis", s=14)
    ax.scatter(*model.cluster_centers_[:, :2].T, marker="x", c="black", s=60)
    ax.scatter(*known.cluster_centers[:, :2].T, marker="s", facecolors="none", edgecolors="black")
    ax.set(title=name, xlabel=f"{names[0]}, scaled", ylabel=f"{names[1]}, scaled")
figure.tight_layout()

# %%
# One draw of a made clinic proves nothing: over five draws with other seeds the help raised
# accuracy in two and changed nothing in three. ``kinfolk run clinic.csv --method kt-mec --knowledge
# hospital.safetensors --clusters 3`` does this from files, and the report says what it changed.
