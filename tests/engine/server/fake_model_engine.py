"""The real engine process with the fake runtime in place of a model: `python -m ... DATA_DIR SECONDS_A_TOKEN
[TRAINING COMMAND...]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import engine.engine
import engine.server


def main() -> int:
    data_dir, seconds = Path(sys.argv[1]), float(sys.argv[2])

    def fake_load(*args: object, **_: object) -> object:
        import engine.session
        from tests.engine.fake_runtime import FakeRuntime, fake_model

        engine.session.CHECKPOINT_SECONDS = 0.0
        engine.session.WORTH_STORING_SECONDS = 0.0
        return fake_model(FakeRuntime(seconds, args[5]))  # type: ignore[arg-type]

    class FakeModelEngine(engine.engine.Engine):
        def __init__(self, data_dir: Path | None) -> None:
            super().__init__(data_dir)
            self.training.command = tuple(sys.argv[3:]) or self.training.command

        def _load(self, choice: engine.engine.Choice, emit: engine.engine.Emit) -> engine.engine.Loaded:
            import engine.loaded_model

            engine.loaded_model.load_model = fake_load  # type: ignore[assignment]
            return super()._load(choice, emit)

    engine.engine.Engine = FakeModelEngine  # type: ignore[misc]
    return engine.server.serve(data_dir)


if __name__ == "__main__":
    sys.exit(main())
