"""The runtimes that can hold a model: one file each, behind `engine.backends.base.Backend`."""
