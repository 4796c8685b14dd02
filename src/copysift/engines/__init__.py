"""Where a workflow runs: this machine or Spark."""
