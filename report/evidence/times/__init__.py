"""Times: when the runs behind a number began, and what their order shows."""
