"""Training retaining heads in a process of its own, which outlives the engine; it is watched by the files it writes.

It knows the options and the files of `keepsake-engine train`, nothing of how heads are trained.
"""

from engine.training_runs.runs import TrainingRuns

__all__ = ["TrainingRuns"]
