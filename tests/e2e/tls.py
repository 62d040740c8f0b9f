"""Certificates, and servers of ours with TLS."""
import pathlib
import subprocess
import tempfile

from programs import SOURCE, Server


class Certificates:
    """What scripts/certs.sh makes, in a folder that goes away with close()."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        subprocess.run([SOURCE / "scripts/certs.sh", self.folder], check=True)

    def __getitem__(self, name):
        return str(self.folder / name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.folder)

    def server(self, path, *options):
        return Server(path, "--tls-cert", self["server.pem"], "--tls-key", self["server.key"],
                      *options)

    def close(self):
        self._folder.cleanup()
