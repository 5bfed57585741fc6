"""
Customers by country: from a table to named kinds
=================================================

Four countries have customers of the same kinds, but incomes and ages differ between them. Each
country is clustered with the help of the others, and its kinds are described in its own units.
"""

# %%
# A table as people have it: numbers in several units, a word, an identifier, gaps. It is made up,
# so the true segment of each customer is known, and used for scores alone.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import kinfolk as kf

random = np.random.default_rng(0)
countries = np.repeat(["IT", "DE", "FR", "PT"], [130, 120, 110, 60])
segment = random.choice(["families", "students", "business"], size=len(countries))
age = pd.Series(segment).map({"families": 41, "students": 22, "business": 50}).to_numpy()
income = pd.Series(segment).map({"families": 38, "students": 14, "business": 75}).to_numpy()
visits = pd.Series(segment).map({"families": 9, "students": 4, "business": 3}).to_numpy()
level = pd.Series(countries).map({"IT": 1.0, "DE": 1.35, "FR": 1.2, "PT": 0.7}).to_numpy()
older = pd.Series(countries).map({"IT": 6, "DE": 3, "FR": 0, "PT": -4}).to_numpy()
customers = pd.DataFrame(
    {
        "id": np.arange(len(countries)),
        "country": countries,
        "age": age + older + random.normal(0, 4, len(countries)),
        "income": 1000 * level * income * random.lognormal(0, 0.15, len(countries)),
        "visits": random.poisson(visits),
        "plan": np.where(segment == "business", "pro", random.choice(["free", "plus"], 420)),
    }
)
customers.loc[random.choice(420, 12, replace=False), "income"] = np.nan
customers["segment"] = segment
customers.head()

# %%
# What each column is taken for, and what is done with it:
kf.describe(customers.drop(columns="segment"), tasks="country")

# %%
# Clustered alone, pooled and together; accuracy is the share of customers in their true segment.
# These segments are clear, so each country finds them alone, and sharing changes nothing.
found = kf.compare(customers.drop(columns="id"), tasks="country", target="segment", n_clusters=3)
found

# %%
# The same by country. Pooling costs most in Portugal, which is small and differs most: 3 of its 60
# customers are in a wrong segment.
scores = found.frame()
accuracy = scores[scores["measure"] == "accuracy"]
accuracy.pivot(index="task", columns="strategy", values="value").round(3)

# %%
# Which kinds are there? Here the mean income of each, by country; ``profiles.csv`` and the report
# have all columns.
profiles = found.profiles.frame()
income = profiles[profiles["column"] == "income"]
income.pivot(index="name", columns="task", values="mean").round(-2)

# %%
# The kinds against the true segments: one number means the same segment in every country.
kinds = found.model.estimator.matched_labels_
pd.crosstab(segment, kinds, rownames=["segment"], colnames=["kind"])

# %%
# Income and age differ by country within one kind: the kinds lie elsewhere in each country.
figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), sharex=True, sharey=True)
for ax, country in zip(axes, ["IT", "DE", "FR", "PT"], strict=True):
    rows = (countries == country) & customers["income"].notna().to_numpy()
    ax.scatter(
        customers["age"][rows], customers["income"][rows] / 1000, c=kinds[rows], s=8, cmap="viridis"
    )
    ax.set(title=country, xlabel="age")
axes[0].set_ylabel("income, thousands")
figure.tight_layout()

# %%
# **What to do with it.** Keep this answer: each country has clusters of its own, and one number
# means the same kind in all. Name the kinds, and assign new customers. One and the same person, who
# earns 45,000, is among the families in three countries, and among the business customers of
# Portugal, where incomes are lower:
names = {0: "business", 1: "students", 2: "families"}
new = pd.DataFrame(
    {"country": ["IT", "DE", "FR", "PT"], "age": 42, "income": 45_000, "visits": 6, "plan": "plus"}
)
new["kind"] = [names[kind] for kind in found.model.assign(new).matched]
new

# %%
# ``found.save("customers")`` leaves ``report.html``, ``labels.csv``, ``profiles.csv`` and a model,
# as ``kinfolk run customers.csv --tasks country --id id --clusters 3 --out customers`` does. Then
# ``kinfolk name customers 0=business 1=students 2=families`` names the kinds, and ``kinfolk assign
# customers/model new.csv`` assigns new customers.
