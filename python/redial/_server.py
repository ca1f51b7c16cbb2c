"""A server beside a notebook."""

import atexit
import subprocess
import threading

from ._program import RedialError, command


class Server:
    """A running server; `stop()` ends it, as does the end of the process or of a `with`."""

    def __init__(self, process, url):
        self._process = process
        #: Its address, such as http://127.0.0.1:8080.
        self.url = url
        atexit.register(self.stop)

    def study(self, name):
        """The address at which a study is taken."""
        return f"{self.url}/study/{name}"

    def stop(self):
        """Lets it finish what is under way, and end. A server that has ended is left alone."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def __repr__(self):
        return f"Server({self.url!r})"

    def _repr_html_(self):
        return f'Redial serves at <a href="{self.url}" target="_blank">{self.url}</a>'


def serve(bind="127.0.0.1:0", **options):
    """Starts a server beside this process, and returns once it takes requests.

    bind: address and port; port 0 takes a free one. Options are those of `redial serve`: `studies`,
    `models`, `database`, `pilot`.

    Raises RedialError when it does not start; the message is what it said.
    """
    line = command("serve", bind=bind, **options)
    process = subprocess.Popen(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    said = []

    def listen():
        # Read to its end, or the server would wait once the pipe is full; the last lines are kept.
        for text in process.stderr:
            said.append(text)
            del said[:-50]

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    prefix = "listening on "
    for text in process.stdout:
        if text.startswith(prefix):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return Server(process, text[len(prefix) :].strip())
    process.wait()
    listener.join(timeout=5)
    raise RedialError("the server did not start: " + "".join(said).strip())
