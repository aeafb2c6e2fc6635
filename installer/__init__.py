"""Sets Keepsake up in .venv, opens it, and runs its checks. Standard library only; imports nothing of app or engine."""
