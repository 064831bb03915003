"""A program on a terminal, for tests of what a person types."""
import os
import pty
import select
import signal
import termios
import time

LIMIT_SECONDS = 60
END_SECONDS = 10


class Terminal:
    """A child whose standard streams are a terminal; it has no display, unless `display` names one."""

    def __init__(self, words, folder, display=None):
        self.seen, self.at = "", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
            environment.update({"DISPLAY": display} if display else {}, TERM="dumb", LC_ALL="C.UTF-8")
            os.execve(words[0], words, environment)

    def wait(self, text, limit=LIMIT_SECONDS):
        """Reads until `text` comes, after what was waited for before; False at the end of the output, and after `limit` seconds."""
        return self.wait_for(text, limit=limit) is not None

    def wait_for(self, *texts, limit=LIMIT_SECONDS):
        """Reads until one of the texts comes, and returns it; None at the end of the output, and after `limit` seconds."""
        end = time.monotonic() + limit
        while not any(text in self.seen[self.at:] for text in texts):
            if not self._read(end - time.monotonic()):
                return None
        first = min((text for text in texts if text in self.seen[self.at:]), key=lambda text: self.seen.index(text, self.at))
        self.at = self.seen.index(first, self.at) + len(first)
        return first

    def _read(self, seconds):
        """False at the end of the output, and when nothing came."""
        ready, _, _ = select.select([self.fd], [], [], max(0, seconds))
        try:
            got = os.read(self.fd, 4096) if ready else b""
        except OSError:
            got = b""
        self.seen += got.decode("utf-8", "replace")
        return bool(got)

    def wait_for_editor(self):
        """Until the program reads key by key: what is typed before, while the terminal keeps lines, an editor may not see."""
        end = time.monotonic() + LIMIT_SECONDS
        while termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.01)

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """The exit code, or minus a signal; None where the program does not end by itself: it is killed then."""
        while self.wait("\0", END_SECONDS):
            pass
        end = time.monotonic() + END_SECONDS
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        while pid == 0 and time.monotonic() < end:
            time.sleep(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status) if pid != 0 else None
