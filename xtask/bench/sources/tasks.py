import subprocess
from pathlib import Path

from invoke import task

ROOT = Path(__file__).parent


@task
def clean(c):
    """Remove what builds have made."""
    for name in ("build", "dist", ".pytest_cache"):
        c.run(f"rm -rf {ROOT / name}")


@task(pre=[clean])
def build(c, release=False):
    c.run("python -m build" + (" --wheel" if release else ""))


@task
def versions(c):
    out = subprocess.run(["git", "describe", "--tags"], capture_output=True, text=True, check=True)
    print(out.stdout.strip())
