"""Settings: the sidebar, conventions, choices, the link."""
