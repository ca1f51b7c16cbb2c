#!/bin/sh
# ChromeDriver goes on in the page that a browser opens when it starts. The headless shell opens the one it is told to.
exec "$HEADLESS_SHELL" "$@" about:blank
