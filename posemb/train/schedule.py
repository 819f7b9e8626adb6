"""How the learning rate moves."""

from math import cos, pi

from posemb.train.recipe import Recipe


def learning_rate(recipe: Recipe, step: int) -> float:
    """The rate at step 1..steps: linear warm-up to `lr`, then half a cosine down to `floor` times it."""
    if step <= recipe.warmup:
        return recipe.lr * step / recipe.warmup
    done = (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup)
    return recipe.lr * (recipe.floor + (1 - recipe.floor) * (1 + cos(pi * done)) / 2)
