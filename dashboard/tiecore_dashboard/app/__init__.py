"""How the dashboard is served: entry, headers, hosts."""
