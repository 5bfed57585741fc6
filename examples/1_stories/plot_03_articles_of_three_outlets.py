"""
Articles of three outlets: words of the house, words of the topic
=================================================================

Newspapers write about the same topics, each in words of its own, and not all write about all.
Clustered together, each keeps its words, and topics get one number for all newspapers.
"""

# %%
# Made articles: words of a topic, words that this newspaper alone uses, and common words. One
# outlet has no sports.
import numpy as np

import kinfolk as kf

random = np.random.default_rng(0)
topics = {
    "sports": "match goal coach season league player team win stadium referee",
    "markets": "shares bank profit rates investors growth quarter debt bonds trade",
    "science": "study cells species climate telescope researchers genes data orbit energy",
}
houses = {
    "post": "exclusive correspondent columnist morning edition",
    "wire": "reported agency update sources briefing",
    "blog": "thread comments readers link opinion",
}
common = ["the", "of", "and", "to", "in", "for", "with", "on", "at", "by"]
texts, outlets, truth = [], [], []
for outlet, house in houses.items():
    for topic, words in topics.items():
        for _ in range(0 if (outlet, topic) == ("blog", "sports") else 25):
            drawn = [
                *random.choice(words.split(), 9),
                *random.choice(house.split(), 7),
                *random.choice(common, 20),
            ]
            texts.append(" ".join(drawn))
            outlets.append(outlet)
            truth.append(topic)
data = kf.RelatedData(
    "articles", np.array(outlets), np.arange(len(texts)), texts=tuple(texts), target=np.array(truth)
)

# %%
# The blog is told to have two kinds, the others three.
found = kf.compare(data, n_clusters={"post": 3, "wire": 3, "blog": 2}, method="mtctki")
found

# %%
# How every strategy did in every outlet. Words of a topic are clear here, so each outlet does well
# by itself; what is gained is the common numbers. Pooled needs one number of topics: left out.
kf.ScoresDisplay.from_comparison(found, measure="accuracy")

# %%
# Kinds of articles with the same number are about the same topic. The words that set them apart:
for kind in range(len(found.profiles.kinds)):
    words = [difference.label for difference in found.profiles.differences(kind)[:6]]
    print(found.profiles.called(kind), ", ".join(words))

# %%
# Ribbons join the clusters that match; the kind that the blog lacks ends before it.
kf.MatchedClustersDisplay.from_estimator(found.model.estimator, data.tasks)

# %%
# **What came out.** Kind 0 is science, kind 1 markets, kind 2 sports, in every outlet that writes
# about it: now outlets can be compared topic by topic. From a file, ``kinfolk run articles.csv
# --tasks outlet --text body --method mtctki --clusters post=3,wire=3,blog=2`` does the same, and
# its report shows typical articles of each kind.
