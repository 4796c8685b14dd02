"""`python -m copysift` is the command `copysift`."""

import sys

from copysift.cli.main import main

sys.exit(main())
