"""`python -m copysift` is the command `copysift`."""

from copysift.cli.main import run

run()
