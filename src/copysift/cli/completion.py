"""`copysift completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

from copysift.cli.main import COMPLETION


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of a shell.

    \b
    bash: copysift completion bash >> ~/.bashrc
    zsh:  copysift completion zsh >> ~/.zshrc
    fish: copysift completion fish > ~/.config/fish/completions/copysift.fish
    """
    from click.shell_completion import get_completion_class

    from copysift.cli.main import copysift

    completer = get_completion_class(shell)
    assert completer is not None  # click has all three
    click.echo(completer(copysift, {}, "copysift", COMPLETION).source())
    return 0
