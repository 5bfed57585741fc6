"""Made tables of questionnaires, traits and categories."""

import numpy as np

from benchmarks.made_tables.parts import categories as drawn_categories
from benchmarks.made_tables.parts import clusters, members, named, table


def likert(random):
    """Answers from 1 to 5 to 12 questions: whole numbers, many of them at an end of the scale."""
    tasks, group = members(random, 3 * [150], [1, 1, 1, 1])
    opinions = clusters(random, tasks, group, 12, 4.5, shift=0.3)
    answers = np.clip(np.round(3 + 0.8 * opinions), 1, 5).astype(int)
    return table(named(answers, "q"), tasks, group)


def likert7(random):
    """Answers from 1 to 7 to 20 questions; some people agree with everything more than others."""
    tasks, group = members(random, 4 * [80], [3, 2, 1])
    opinions = clusters(random, tasks, group, 20, 5)
    agreeing = 0.8 * random.normal(size=(len(tasks), 1))
    answers = np.clip(np.round(4 + 1.2 * (opinions + agreeing)), 1, 7).astype(int)
    return table(named(answers, "item"), tasks, group)


def categories(random):
    """Eight columns of 3 to 6 words and not one number."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    return table(drawn_categories(random, group, [3, 4, 5, 3, 6, 4, 3, 5], 0.6), tasks, group)


def binary(random):
    """Fifteen traits as 0 and 1: a group has those that are its own in 88 % of the rows."""
    tasks, group = members(random, 3 * [150], [1, 1, 1, 1])
    probability = random.choice([0.12, 0.88], (4, 15))
    has = random.uniform(size=(len(tasks), 15)) < probability[group]
    return table(named(has.astype(int), "has"), tasks, group)


def yesno(random):
    """Ten questions answered by yes and no; two groups may answer most of them alike."""
    tasks, group = members(random, 4 * [100], [2, 1, 1])
    probability = random.choice([0.15, 0.85], (3, 10))
    yes = random.uniform(size=(len(tasks), 10)) < probability[group]
    return table(named(np.where(yes, "yes", "no"), "b"), tasks, group)


def ordinal(random):
    """Two numbers beside six columns of low, medium and high, whose order has to be known."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    levels = clusters(random, tasks, group, 8, 4.5)
    frame = named(levels[:, :2].round(2))
    words = np.array(["low", "medium", "high"])
    for j in range(2, 8):
        frame[f"level{j}"] = words[np.digitize(levels[:, j], [-0.6, 0.6])]
    return table(frame, tasks, group)


def mixed(random):
    """Three numbers and five categories, which tell the groups apart together."""
    tasks, group = members(random, 4 * [150], [1, 1, 1])
    frame = named(clusters(random, tasks, group, 3, 2.8, shift=0.4).round(2))
    words = drawn_categories(random, group, [3, 4, 3, 5, 2], 0.5)
    return table(frame.join(words), tasks, group)


def mixed_noise(random):
    """Four numbers tell the groups apart; seven categories of up to 12 words are noise."""
    tasks, group = members(random, 4 * [150], [1, 1, 1])
    frame = named(clusters(random, tasks, group, 4, 5, shift=0.4).round(2))
    words = drawn_categories(random, group, [3, 4, 3, 5, 2, 8, 12], 0.0)
    return table(frame.join(words), tasks, group)


def signal_cats(random):
    """Six categories tell the groups apart; five numbers are noise."""
    tasks, group = members(random, 4 * [150], [1, 1, 1])
    frame = named(random.normal(size=(len(tasks), 5)).round(2))
    words = drawn_categories(random, group, [3, 4, 3, 5, 3, 4], 0.7)
    return table(frame.join(words), tasks, group)


KINDS = {
    "answers from 1 to 5": likert,
    "answers from 1 to 7": likert7,
    "categories alone": categories,
    "traits as 0 and 1": binary,
    "yes and no": yesno,
    "ordered words": ordinal,
    "numbers beside categories": mixed,
    "noise categories": mixed_noise,
    "noise numbers": signal_cats,
}
